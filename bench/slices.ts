import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
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
  connections?: number
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

/** What requests cost, on 16 connections from the other core, as those of a client on another machine. */
export async function measureSlice(server: Running, load: Load): Promise<Slice> {
  const before = await readCpuMicroseconds(server.pid)
  const output = await send(server, load)
  const cpu = ((await readCpuMicroseconds(server.pid)) - before) / load.count
  return { cpu, rate: Number(/([\d.]+) req\/s/.exec(output)?.[1]) }
}

/** From the start of each request to the end of its response, in microseconds. */
export async function measureTimes(server: Running, load: Load): Promise<number[]> {
  const log = join(load.folder, 'times')
  await rm(log, { force: true })
  await send(server, load, '--log-file', log)
  const lines = (await readFile(log, 'utf8')).trim().split('\n')
  return lines.map((line) => Number(line.split('\t')[2]))
}

/** Throws if any response is an error. */
async function send(
  { origin }: Running,
  { request: { path, body, headers = {} }, count, folder, cores = '1', connections = 16 }: Load,
  ...more: readonly string[]
): Promise<string> {
  const urls = Array.from({ length: path.includes('$n') ? 1000 : 1 }, (_, index) =>
    origin.concat(path.replaceAll('$n', String(index + 1))),
  )
  await writeFile(join(folder, 'urls'), urls.join('\n'))
  const fields = Object.entries(headers).flatMap((field) => ['-H', field.join(': ')])
  const file = join(folder, 'body')
  if (body !== undefined) await writeFile(file, body)
  const content = body === undefined ? [] : ['-d', file]
  const load = ['--h1', '-n', count, '-c', connections, '-i', join(folder, 'urls')].map(String)
  const options = [...load, ...fields, ...content, ...more]
  const { stdout } = await run('taskset', ['-c', cores, 'h2load', ...options])
  if (!stdout.includes(` ${String(count)} succeeded`))
    throw new Error(`${urls[0] ?? ''}: ${stdout}`)
  return stdout
}

export interface Spread {
  median: number
  p10: number
  p90: number
  p99: number
}

export function toSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? NaN
  return { median: at(0.5), p10: at(0.1), p90: at(0.9), p99: at(0.99) }
}

/** The ratios of the CPU time of two servers, round by round. */
export function toRatios(slices: readonly Slice[] = [], others: readonly Slice[] = []): number[] {
  return slices.map(({ cpu }, round) => cpu / (others[round]?.cpu ?? NaN))
}
