import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readCpuMicroseconds, type Running } from './processes.ts'
import type { Request } from './rows.ts'

const run = promisify(execFile)

/** What a number of requests cost. */
export interface Slice {
  /** CPU time of the server per request in microseconds. */
  cpu: number
  /** Requests per second. */
  rate: number
}

interface Load {
  request: Request
  /** Requests in each slice; the first four are not measured. */
  count: number
  /** For the request's body. */
  folder: string
  cores?: string
}

/**
 * Measures servers by turns, in alternating order (A B, B A, A B, …), so that a machine that becomes
 * slower or faster affects all of them alike. Returns the slices by the server's name.
 */
export async function measureSlices<Name extends string>(
  servers: ReadonlyMap<Name, Running>,
  toLoad: (name: Name) => Load,
  rounds: number,
): Promise<Map<Name, Slice[]>> {
  const slices = new Map<Name, Slice[]>([...servers.keys()].map((name) => [name, []]))
  for (const [name, server] of servers) {
    for (let warmUp = 0; warmUp < 4; warmUp += 1) await measureSlice(server, toLoad(name))
  }
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [...servers] : [...servers].reverse()
    for (const [name, server] of order) {
      slices.get(name)?.push(await measureSlice(server, toLoad(name)))
    }
  }
  return slices
}

/** Sends requests from the second core on 32 connections; throws if any response is an error. */
export async function measureSlice(
  { port, pid }: Running,
  { request: { path, body, headers = {} }, count, folder, cores = '1' }: Load,
): Promise<Slice> {
  const url = `http://127.0.0.1:${String(port)}${path}`
  const fields = Object.entries(headers).flatMap((field) => ['-H', field.join(': ')])
  const file = join(folder, 'body')
  if (body !== undefined) await writeFile(file, body)
  const content = body === undefined ? [] : ['-d', file]
  const options = ['--h1', '-n', String(count), '-c', '32', ...fields, ...content, url]
  const before = await readCpuMicroseconds(pid)
  const { stdout } = await run('taskset', ['-c', cores, 'h2load', ...options])
  const cpu = ((await readCpuMicroseconds(pid)) - before) / count
  if (!stdout.includes(` ${String(count)} succeeded`)) throw new Error(`${url}: ${stdout}`)
  return { cpu, rate: Number(/([\d.]+) req\/s/.exec(stdout)?.[1]) }
}

export interface Spread {
  median: number
  p10: number
  p90: number
}

export function toSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? NaN
  return { median: at(0.5), p10: at(0.1), p90: at(0.9) }
}

/** The ratios of the CPU time of two servers, round by round. */
export function toRatios(own: readonly Slice[] = [], other: readonly Slice[] = []): number[] {
  return own.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? NaN))
}
