import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '../test/support/free-port.ts'
import { startServer, type Running } from './processes.ts'
import type { Contender, Row } from './rows.ts'
import { goHttpbin, pocketbase, python } from './versions.ts'

const here = import.meta.dirname

interface Setup extends Pick<Row, 'settings' | 'data'> {
  cores?: string
  /** For Node.js. */
  flags?: readonly string[]
  /** The source of Vitrine; this one by default. */
  root?: string
}

const quiet = { LOG_LEVEL: 'warn', INSPECTOR: 'off' }

/** Starts a contender in a folder of its own, which has been filled. */
export async function start(name: Contender, setup: Setup, folder: string): Promise<Running> {
  const { root = join(here, '..'), cores, settings = quiet } = setup
  const port = await findFreePort()
  const env = {
    ...process.env,
    DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}`,
    FILES_URL: `file:${join(folder, 'files')}`,
    PUBLIC_DIR: join(folder, 'public'),
    PORT: String(port),
    ...(name === 'vitrine' && settings),
    ...(name === 'pocketbase' && { DATA_FILE: join(folder, 'db.json') }),
  }
  const command = await toCommand(name, setup, { port, folder })
  return startServer(port, command, { cwd: root, env, cores })
}

async function toCommand(
  name: Contender,
  { data, root = join(here, '..'), flags = [] }: Setup,
  { port, folder }: { port: number; folder: string },
): Promise<[string, ...string[]]> {
  const at = ['--port', String(port), '--host', '127.0.0.1']
  const inModules = (path: string) => join(here, 'node_modules', path)
  switch (name) {
    case 'vitrine': {
      const files = data ? [...data, join(folder, 'db.json')] : []
      return [process.execPath, ...flags, ...(await readStartArguments(root)), ...files]
    }
    case 'json-server': {
      const program = inModules('json-server/lib/cli/bin.js')
      return [process.execPath, program, '--quiet', ...at, await copyData(folder)]
    }
    case 'json-server-beta': {
      const program = inModules('json-server-beta/lib/bin.js')
      return [process.execPath, program, ...at, await copyData(folder)]
    }
    case 'go-httpbin':
      return [goHttpbin, ...at, '--log-level', 'ERROR']
    case 'httpbin': {
      // A worker without threads has no persistent connections.
      const options = ['--threads', '4', '--no-control-socket', '--log-level', 'warning']
      const listen = `127.0.0.1:${String(port)}`
      return [python, '-m', 'gunicorn', '-b', listen, ...options, 'httpbin:app']
    }
    case 'pocketbase': {
      const migrations = ['--migrationsDir', join(here, 'pocketbase'), '--automigrate=false']
      const folders = ['--dir', join(folder, 'pocketbase'), '--publicDir', join(folder, 'public')]
      return [pocketbase, 'serve', `--http=127.0.0.1:${String(port)}`, ...folders, ...migrations]
    }
    case 'nginx':
      return ['nginx', '-c', await writeNginx(folder, port), '-e', 'stderr']
  }
}

/** What `npm start` runs there. */
async function readStartArguments(root: string): Promise<string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }
  return scripts.start.split(' ').slice(1)
}

/** json-server rewrites its file at every change, so each has its own. */
async function copyData(folder: string): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`)
  await copyFile(join(folder, 'db.json'), file)
  return file
}

async function writeNginx(folder: string, port: number): Promise<string> {
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder};`)
    .join(' ')
  await writeFile(
    file,
    // As root, nginx would respond as another user, who cannot read the folder.
    `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; worker_processes 1; pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; ${temporary}
server { listen 127.0.0.1:${String(port)}; root ${folder}/public; index 4k.bin; } }
`,
  )
  return file
}
