import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readCpuMicroseconds, type Running } from './processes.ts'
import type { Row } from './rows.ts'

const run = promisify(execFile)

const connections = '32'

export type Request = Pick<Row, 'path' | 'method' | 'headers' | 'body'>

export interface Turn {
  /** Requests per second. */
  rate: number
  /** CPU time per request in microseconds. */
  cost: number
}

interface Load {
  url: string
  seconds: number
  request: Request
  folder: string
  cores: string
}

/** Sends load from the second core by default; throws if any response is an error. */
export async function measure(
  { port, pid }: Running,
  request: Request,
  { seconds, folder, cores = '1' }: { seconds: number; folder: string; cores?: string },
): Promise<Turn> {
  const url = `http://127.0.0.1:${String(port)}${request.path}`
  const load = { url, seconds, request, folder, cores }
  const before = await readCpuMicroseconds(pid)
  const { rate, count } = await (hasWrk ? runWrk(load) : runAutocannon(load))
  return { rate, cost: ((await readCpuMicroseconds(pid)) - before) / count }
}

// It prints its version and exits with 1.
const wrkVersion = await run('wrk', ['-v']).catch((error: unknown) => error as { stdout?: string })
const hasWrk = Boolean(wrkVersion.stdout)

/** The load generator and its version. */
export const loadGenerator = hasWrk
  ? (/^wrk \S+/.exec(wrkVersion.stdout ?? '')?.[0] ?? 'wrk')
  : 'autocannon'

async function runWrk({ url, seconds, request, folder, cores }: Load) {
  const script = join(folder, 'request.lua')
  await writeFile(script, toLua(request))
  const options = ['-t1', `-c${connections}`, `-d${String(seconds)}s`, '-s', script, url]
  const { stdout, stderr } = await run('taskset', ['-c', cores, 'wrk', ...options])
  // wrk continues without a script that it cannot read.
  if (stderr !== '') throw new Error(stderr)
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout)
  if (failed) throw new Error(`${url}: ${failed[0]}`)
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  return { rate, count: Number(/(\d+) requests in/.exec(stdout)?.[1]) }
}

function toLua({ method = 'GET', headers = {}, body }: Request): string {
  const fields = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[ ${quote(name)} ] = ${quote(value)}`,
  )
  const content = body === undefined ? '' : `wrk.body = ${quote(body)}`
  return [`wrk.method = ${quote(method)}`, ...fields, content].join('\n')
}

function quote(text: string): string {
  return `[==[${text}]==]`
}

interface Cannonade {
  duration: number
  errors: number
  statusCodeStats: Record<string, { count: number }>
}

async function runAutocannon({ url, seconds, request, cores }: Load) {
  const { method = 'GET', headers = {}, body } = request
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const content = body === undefined ? [] : ['-b', body]
  const options = ['-j', '-n', '-c', connections, '-d', String(seconds), '-m', method]
  const program = join(import.meta.dirname, 'node_modules/autocannon/autocannon.js')
  const command = ['-c', cores, process.execPath, program, ...options, ...fields, ...content, url]
  const { stdout } = await run('taskset', command)
  const { duration, errors, statusCodeStats } = JSON.parse(stdout) as Cannonade
  const statuses = Object.keys(statusCodeStats)
  if (errors > 0 || statuses.some((status) => Number(status) >= 400)) {
    throw new Error(`${url}: ${String(errors)} errors; statuses ${statuses.join(', ')}`)
  }
  const count = Object.values(statusCodeStats).reduce((sum, one) => sum + one.count, 0)
  return { rate: count / duration, count }
}
