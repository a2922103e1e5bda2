import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findFreePort } from '../src/operations/free-port.ts'
import { startServer, type Running } from './processes.ts'
import type { Contender, Row } from './rows.ts'

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))

/** The programs of `pip install httpbin gunicorn` in a virtual environment. */
const python = join(here, '.python/bin/python')

interface Place {
  /** For the databases, files and configuration of this row. */
  folder: string
  /** The file of Vitrine's response. */
  reference: string
}

type Setup = Pick<Row, 'settings' | 'records'> & { cores?: string }

export async function start(contender: Contender, setup: Setup, place: Place): Promise<Running> {
  const port = await findFreePort()
  const command = await toCommand(contender, setup, { port, ...place })
  const settings = contender === 'vitrine' ? { LOG_LEVEL: 'warn', ...setup.settings } : {}
  const env = {
    ...process.env,
    ...toSettings(place.folder),
    ...settings,
    PORT: String(port),
    REFERENCE: place.reference,
  }
  return startServer(port, command, { cwd: here, env, cores: setup.cores })
}

/** Whether a contender that npm does not install is available. */
export async function isInstalled(contender: Contender): Promise<boolean> {
  const checks: Partial<Record<Contender, [string, string[]]>> = {
    nginx: ['nginx', ['-v']],
    httpbin: [python, ['-c', 'import httpbin, gunicorn']],
  }
  const check = checks[contender]
  if (check === undefined) return true
  return run(...check).then(
    () => true,
    () => false,
  )
}

/** Whether a contender sends its own response instead of a copy of Vitrine's. */
export function sendsOwnResponse(contender: Contender): boolean {
  return ['json-server', 'json-server-beta', 'httpbin'].includes(contender)
}

async function toCommand(
  contender: Contender,
  { records = 0 }: Setup,
  { port, folder }: Place & { port: number },
): Promise<[string, ...string[]]> {
  const at = ['--port', String(port), '--host', '127.0.0.1']
  const inModules = (path: string) => join(here, 'node_modules', path)
  switch (contender) {
    case 'vitrine':
      return [
        process.execPath,
        '--min-semi-space-size=4',
        '--max-semi-space-size=4',
        '--no-parallel-scavenge',
        join(here, '../bin/vitrine.js'),
      ]
    case 'json-server': {
      const program = inModules('json-server/lib/cli/bin.js')
      return [process.execPath, program, '--quiet', ...at, await writeDatabase(folder, records)]
    }
    case 'json-server-beta': {
      const program = inModules('json-server-beta/lib/bin.js')
      return [process.execPath, program, ...at, await writeDatabase(folder, records)]
    }
    case 'httpbin': {
      const address = `127.0.0.1:${String(port)}`
      // A worker without threads has no persistent connections.
      const options = ['--threads', '4', '--no-control-socket', '--log-level', 'warning']
      return [python, '-m', 'gunicorn', '-b', address, ...options, 'httpbin:app']
    }
    case 'nginx':
      return ['nginx', '-c', await writeNginx(folder, port), '-e', 'stderr']
    default:
      return [process.execPath, join(here, 'servers', `${contender}.js`)]
  }
}

function toSettings(folder: string): Record<string, string> {
  return {
    DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}`,
    FILES_URL: `file:${join(folder, 'files')}`,
    PUBLIC_DIR: join(folder, 'public'),
  }
}

/** json-server rewrites its database at every change, so each has its own. */
async function writeDatabase(folder: string, records: number): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`)
  const locations = Array.from({ length: records }, (_, index) => ({
    id: index === 0 ? 'known' : String(index),
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
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; ${temporary}
server { listen 127.0.0.1:${String(port)}; root ${folder}/public; index 4k.bin; } }
`,
  )
  return file
}
