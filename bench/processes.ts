import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Request } from './rows.ts'

export interface Running {
  port: number
  /** The start of its URLs. */
  origin: string
  /** Of the server: `taskset` replaces itself with it. */
  pid: number
  stop: () => Promise<void>
}

interface ServerOptions extends SpawnOptions {
  cores?: string | undefined
}

/** Starts a server, on the first core by default, and waits until it responds. */
export async function startServer(
  port: number,
  [command, ...args]: readonly [string, ...string[]],
  { cores = '0', ...options }: ServerOptions,
): Promise<Running> {
  const child = spawn('taskset', ['-c', cores, command, ...args], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const origin = `http://127.0.0.1:${String(port)}`
  await untilResponding(origin, child)
  return { port, origin, pid: child.pid ?? 0, stop: () => stop(child) }
}

async function untilResponding(origin: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`did not start: ${child.spawnargs.join(' ')}`)
    try {
      await sendOnce(origin, { path: '/' })
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

export async function sendOnce(origin: string, { path, body, headers }: Request) {
  const method = body === undefined ? 'GET' : 'POST'
  const options = { method, headers: { ...headers }, agent: false }
  const sent = request(origin + path, options).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await buffer(response),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/**
 * The CPU time of a process in microseconds, with its threads and its children: nginx and gunicorn
 * respond in children. `schedstat` counts nanoseconds, for one thread each.
 */
export async function readCpuMicroseconds(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${String(pid)}/task`)
  const times = tasks.map(async (task) => {
    const folder = `/proc/${String(pid)}/task/${task}`
    const [time] = (await readFile(`${folder}/schedstat`, 'utf8')).split(' ')
    const children = (await readFile(`${folder}/children`, 'utf8')).split(' ').filter(Boolean)
    const ofChildren = await Promise.all(
      children.map((child) => readCpuMicroseconds(Number(child))),
    )
    return ofChildren.reduce((sum, one) => sum + one, Number(time) / 1000)
  })
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0)
}

/** The memory of a process now, and its peak since {@link forgetPeak}, in megabytes. */
export async function readMemory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8')
  const find = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { now: find('VmRSS'), peak: find('VmHWM') }
}

export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${String(pid)}/clear_refs`, '5')
}
