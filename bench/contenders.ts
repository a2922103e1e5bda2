import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findFreePort } from '../test/support/free-port.ts'
import { startServer, type Running } from './processes.ts'
import { knownId, type Contender, type Row } from './rows.ts'
import { goHttpbin, pocketbase, python } from './versions.ts'

const here = import.meta.dirname

interface Setup extends Pick<Row, 'settings' | 'records' | 'isHttp2'> {
  cores?: string
  /** For Node.js. */
  flags?: readonly string[]
  /** The source of Vitrine; this one by default. */
  root?: string
}

const ofVitrine = { LOG_LEVEL: 'warn', INSPECTOR: 'off' }

/** Starts a contender in a folder of its own, which has been filled. */
export async function start(name: Contender, setup: Setup, folder: string): Promise<Running> {
  const port = await findFreePort()
  const command = await toCommand(name, setup, { port, folder })
  const env = {
    ...process.env,
    DATABASE_URL: `sqlite:${join(folder, name === 'node-insert' ? 'insert.db' : 'vitrine.db')}`,
    FILES_URL: `file:${join(folder, 'files')}`,
    PUBLIC_DIR: join(folder, 'public'),
    ...(name === 'vitrine' ? { ...ofVitrine, ...setup.settings } : {}),
    ...(name === 'vitrine-unrecorded' ? { ...ofVitrine, ...setup.settings, INSPECTOR: 'off' } : {}),
    PORT: String(port),
    REFERENCE: join(folder, 'reference.json'),
    ...(setup.isHttp2 && { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') }),
  }
  const { root = join(here, '..'), cores, isHttp2 } = setup
  return startServer(port, command, { cwd: root, env, cores, isSecure: isHttp2 })
}

async function toCommand(
  name: Contender,
  { records = 0, root = join(here, '..'), flags = [] }: Setup,
  { port, folder }: { port: number; folder: string },
): Promise<[string, ...string[]]> {
  const at = ['--port', String(port), '--host', '127.0.0.1']
  const inModules = (path: string) => join(here, 'node_modules', path)
  switch (name) {
    case 'vitrine':
    case 'vitrine-unrecorded':
      return [process.execPath, ...flags, ...(await readStartArguments(root))]
    case 'json-server': {
      const program = inModules('json-server/lib/cli/bin.js')
      return [process.execPath, program, '--quiet', ...at, await writeDatabase(folder, records)]
    }
    case 'json-server-beta': {
      const program = inModules('json-server-beta/lib/bin.js')
      return [process.execPath, program, ...at, await writeDatabase(folder, records)]
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
      const migrations = [
        '--migrationsDir',
        join(here, 'servers/pocketbase'),
        '--automigrate=false',
      ]
      const folders = ['--dir', join(folder, 'pocketbase'), '--publicDir', join(folder, 'public')]
      return [pocketbase, 'serve', `--http=127.0.0.1:${String(port)}`, ...folders, ...migrations]
    }
    case 'nginx':
      return ['nginx', '-c', await writeNginx(folder, port), '-e', 'stderr']
    case 'node-insert':
      copyDatabase(join(folder, 'vitrine.db'), join(folder, 'insert.db'))
      break
  }
  return [process.execPath, join(here, 'servers', `${name}.js`)]
}

/** What `npm start` runs there. */
async function readStartArguments(root: string): Promise<string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: { start: string } }
  return scripts.start.split(' ').slice(1)
}

/** Of the database that Vitrine has opened, with the indexes that it made. */
function copyDatabase(from: string, to: string): void {
  const database = new DatabaseSync(from)
  database.prepare('VACUUM INTO ?').run(to)
  database.close()
}

/** json-server rewrites its database at every change, so each has its own. */
async function writeDatabase(folder: string, records: number): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`)
  const locations = Array.from({ length: records }, (_, index) => ({
    id: index === 0 ? knownId : String(index),
    name: `Place ${String(index)}`,
  }))
  await writeFile(file, JSON.stringify({ locations }))
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
