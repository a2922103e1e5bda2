import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openPostgresServer } from '../test/postgres-server.ts'
import { start } from './contenders.ts'
import { fill, type Place } from './fill.ts'
import { createRequest, showRequest, type Request } from './rows.ts'
import { measureSlice } from './slices.ts'
import type { Figure } from './report.ts'

const bothCores = '0,1'
const count = 20_000

/** Compares the CPU time of two workers with one process. Server and load share both cores. */
export async function measureWorkers(place: Place): Promise<Figure[]> {
  const costs: Record<string, number[]> = { '1': [], '2': [] }
  for (let round = 0; round < place.rounds; round += 1) {
    for (const [workers, values] of Object.entries(costs)) {
      const folder = join(place.folder, `${String(round)}-${workers}`)
      await mkdir(folder)
      await fill({ ...place, folder }, 1000)
      const setup = { settings: { WORKERS: workers }, cores: bothCores }
      const vitrine = await start('vitrine', setup, folder)
      const measure = () =>
        measureSlice(vitrine, { request: showRequest, count, folder, cores: bothCores })
      try {
        await measure()
        values.push((await measure()).cpu)
      } finally {
        await vitrine.stop()
      }
    }
  }
  const [one = [], two = []] = Object.values(costs)
  const values = two.map((cpu, round) => cpu / (one[round] ?? NaN))
  const title = 'CPU of `GET /locations/:id` by two workers ÷ by one process'
  return [{ title, unit: '', values, goal: { atMost: 1.05 } }]
}

/** Shows and creates on PostgreSQL, whose server shares the core of the load generator. */
export async function measurePostgres(place: Place): Promise<Figure[]> {
  const { folder, rounds } = place
  await fill(place)
  const server = await openPostgresServer({ settings: { fsync: 'on' } })
  try {
    const vitrine = await start('vitrine', { settings: { DATABASE_URL: server.url } }, folder)
    try {
      await createKnown(vitrine.port)
      const measure = (request: Request) => measureSlice(vitrine, { request, count: 5000, folder })
      const [show, create]: [number[], number[]] = [[], []]
      await measure(showRequest)
      for (let round = 0; round < rounds; round += 1) {
        show.push((await measure(showRequest)).cpu)
        create.push((await measure(createRequest)).cpu)
      }
      return [
        { title: '`GET /locations/:id` on PostgreSQL', unit: 'µs', values: show },
        { title: '`POST /locations` on PostgreSQL, fsync on', unit: 'µs', values: create },
      ]
    } finally {
      await vitrine.stop()
    }
  } finally {
    await server.remove()
  }
}

async function createKnown(port: number): Promise<void> {
  const { path, headers } = showRequest
  const url = `http://127.0.0.1:${String(port)}${path}`
  const fields = { ...headers, 'content-type': 'application/json' }
  const { body = '' } = createRequest
  const { status } = await fetch(url, { method: 'PUT', headers: fields, body })
  if (status !== 201) throw new Error(`the record was not created: ${String(status)}`)
}
