import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { openPostgresServer, type PostgresServer } from '../test/support/postgres-server.ts'
import { start } from './contenders.ts'
import { fill, fillPostgres, type Place } from './fill.ts'
import { readCpuMicroseconds, sendOnce, type Running } from './processes.ts'
import type { Figure } from './results.ts'
import { createRequest, showRequest, type Request } from './rows.ts'
import { measureSlice, measureTimes } from './slices.ts'

const run = promisify(execFile)
const atMostFivePercentLess = { atLeast: 0.95 }

/** Four processes on one PostgreSQL, of which one, two or four get requests. */
export async function measureReplicas(place: Place): Promise<Figure[]> {
  const { folder, rounds } = place
  await fill(place)
  return withPostgres(1000, async (server) => {
    const replicas: Running[] = []
    const settings = { DATABASE_URL: server.url }
    try {
      while (replicas.length < 4) replicas.push(await start('vitrine', { settings }, folder))
      const figures: Figure[] = []
      for (const [what, request] of [
        ['show', showRequest],
        ['create', createRequest],
      ] as const) {
        const toLoad = (index: number) => ({
          request,
          count: 5000,
          folder: `${folder}/${String(index)}`,
        })
        const costs = await measureGroups({ server, replicas, rounds }, toLoad)
        figures.push(...toReplicaFigures(what, costs))
      }
      return figures
    } finally {
      await Promise.all(replicas.map(({ stop }) => stop()))
    }
  })
}

interface Group {
  server: PostgresServer
  replicas: readonly Running[]
  rounds: number
}

interface Costs {
  vitrine: number
  both: number
}

/** The CPU time per request by the number of processes. */
async function measureGroups(
  { server, replicas, rounds }: Group,
  toLoad: (index: number) => Parameters<typeof measureSlice>[1],
) {
  const costs = new Map<number, Costs[]>([1, 2, 4].map((size) => [size, []]))
  await Promise.all(replicas.map((_, index) => mkdir(toLoad(index).folder, { recursive: true })))
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [...costs] : [...costs].reverse()
    for (const [size, values] of order) {
      const before = await readCpuMicroseconds(server.pid())
      const some = replicas.slice(0, size)
      const slices = await Promise.all(
        some.map((replica, index) => measureSlice(replica, toLoad(index))),
      )
      const requests = slices.length * toLoad(0).count
      const postgres = ((await readCpuMicroseconds(server.pid())) - before) / requests
      const vitrine = slices.reduce((sum, { cpu }) => sum + cpu, 0) / slices.length
      // The first round is the warm-up.
      if (round >= 0) values.push({ vitrine, both: vitrine + postgres })
    }
  }
  return costs
}

function toReplicaFigures(what: string, costs: ReadonlyMap<number, readonly Costs[]>): Figure[] {
  const one = costs.get(1) ?? []
  const own = `CPU time to ${what} a record on PostgreSQL`
  const figures: Figure[] = [
    { title: own, unit: 'µs', values: one.map(({ vitrine }) => vitrine) },
    { title: `${own}, with its server`, unit: 'µs', values: one.map(({ both }) => both) },
  ]
  for (const [size, words] of [
    [2, 'two'],
    [4, 'four'],
  ] as const) {
    const each = costs.get(size) ?? []
    for (const [part, ending] of [
      ['vitrine', ''],
      ['both', ', with PostgreSQL'],
    ] as const) {
      const title = `requests per CPU second to ${what} a record, ${words} processes ÷ one${ending}`
      const values = each.map((cost, round) => (one[round]?.[part] ?? NaN) / cost[part])
      figures.push({ title, unit: '', values, ...(size === 4 && { goal: atMostFivePercentLess }) })
    }
  }
  return figures
}

const atScale = 10_000_000

export async function measureSqliteAtScale(place: Place): Promise<Figure[]> {
  await fill(place, atScale)
  return measureAtScale(place.folder)
}

export async function measurePostgresAtScale(place: Place): Promise<Figure[]> {
  const { folder } = place
  await fill(place)
  return withPostgres(atScale, ({ url }) => measureAtScale(folder, { DATABASE_URL: url }))
}

/** One request after another, each time for another record. */
async function measureAtScale(folder: string, settings = {}): Promise<Figure[]> {
  const vitrine = await start('vitrine', { settings }, folder)
  try {
    const { headers = {} } = showRequest
    const byName = '/locations?sort=name&per_page=20'
    const before = await sendOnce(vitrine.origin, { path: `${byName}&page=99999`, headers })
    const next = /<([^>]*)>; ?rel="?next/.exec(String(before.headers.link))?.[1] ?? ''
    const { pathname, search } = new URL(next, vitrine.origin)
    const requests: Readonly<Record<string, Request>> = {
      'show a record': { path: '/locations/id-$n00', headers },
      'create a record': createRequest,
      'filter by `name`, which has an index': { path: '/locations?name=Place%20$n00', headers },
      'first page by `name`': { path: byName, headers },
      'page 100,000 by `name`, by cursor': { path: pathname + search, headers },
    }
    const figures: Figure[] = []
    for (const [title, request] of Object.entries(requests)) {
      const load = { request, count: 1000, folder, connections: 1 }
      await measureTimes(vitrine, { ...load, count: 100 })
      figures.push({ title, unit: 'µs', values: await measureTimes(vitrine, load) })
    }
    const startedAt = performance.now()
    await sendOnce(vitrine.origin, { path: `${byName}&page=100000`, headers })
    const values = [(performance.now() - startedAt) * 1000]
    return [...figures, { title: 'the same by page number, one sample', unit: 'µs', values }]
  } finally {
    await vitrine.stop()
  }
}

/** With a server on the second core, which the load generator also uses. */
export async function withPostgres<T>(
  records: number,
  use: (server: PostgresServer) => Promise<T>,
): Promise<T> {
  const settings = { shared_buffers: '1GB', maintenance_work_mem: '1GB', max_wal_size: '8GB' }
  const server = await openPostgresServer({ settings })
  try {
    await fillPostgres(server.url, records)
    await run('taskset', ['-cp', '1', String(server.pid())])
    return await use(server)
  } finally {
    await server.remove()
  }
}
