import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contender, Row } from './rows.ts'

export interface Running {
  port: number
  process: ChildProcess
  stop: () => Promise<void>
}

interface Place {
  /** For databases, files and configurations of this row. */
  folder: string
  /** Where what Vitrine answered is written down. */
  reference: string
}

const here = dirname(fileURLToPath(import.meta.url))

/** Starts a contender on the first core and waits until it takes connections. */
export async function start(contender: Contender, row: Row, place: Place): Promise<Running> {
  const port = await findPort()
  const { command, args, settings } = await toCommand(contender, row, { port, ...place })
  const child = spawn('taskset', ['-c', '0', command, ...args], {
    env: { ...process.env, ...settings, PORT: String(port), REFERENCE: place.reference },
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: here,
  })
  await untilListening(port, child)
  return { port, process: child, stop: () => stop(child) }
}

async function toCommand(
  contender: Contender,
  row: Row,
  { port, folder }: Place & { port: number },
): Promise<{ command: string; args: string[]; settings?: Record<string, string> }> {
  switch (contender) {
    case 'vitrine':
      return {
        command: process.execPath,
        args: [
          '--min-semi-space-size=4',
          '--max-semi-space-size=4',
          join(here, '../bin/vitrine.js'),
        ],
        settings: { LOG_LEVEL: 'warn', ...toSettings(folder), ...row.settings },
      }
    case 'json-server':
      return { command: process.execPath, args: await toJsonServer(row, { port, folder }) }
    case 'nginx':
      return { command: 'nginx', args: ['-c', await writeNginx(folder, port), '-e', 'stderr'] }
    default:
      return { command: process.execPath, args: [join(here, 'servers', `${contender}.js`)] }
  }
}

/** Where the rows keep what they fill. */
export function toSettings(folder: string): Record<string, string> {
  return {
    DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}`,
    FILES_URL: `file:${join(folder, 'files')}`,
    PUBLIC_DIR: join(folder, 'public'),
  }
}

async function toJsonServer(row: Row, { port, folder }: { port: number; folder: string }) {
  const file = join(folder, 'db.json')
  const locations = Array.from({ length: row.records ?? 0 }, (_, index) => ({
    id: index === 0 ? 'known' : String(index),
    name: `Place ${String(index)}`,
  }))
  await writeFile(file, JSON.stringify({ locations }))
  const program = join(here, 'node_modules/json-server/lib/cli/bin.js')
  return [program, '--quiet', '--port', String(port), '--host', '127.0.0.1', file]
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
server { listen 127.0.0.1:${String(port)}; root ${folder}/public; } }
`,
  )
  return file
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('a contender did not start')
    try {
      await fetch(`http://127.0.0.1:${String(port)}/`, { signal: AbortSignal.timeout(2000) })
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
