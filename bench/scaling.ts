import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openPostgresServer } from '../test/postgres-server.ts'
import { start } from './contenders.ts'
import type { Place } from './figures.ts'
import { fill } from './fill.ts'
import { measure, type Request } from './measure.ts'
import type { Figure } from './results.ts'
import { createRequest, showRequest } from './rows.ts'

const seconds = 2
const bothCores = '0,1'

/** Compares two workers with one process. Server and load generator share both cores. */
export async function measureWorkers({ folder, library, rounds }: Place): Promise<Figure[]> {
  const rates: Record<string, number[]> = { '1': [], '2': [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const [workers, values] of Object.entries(rates)) {
      const own = join(folder, `${String(round)}-${workers}`)
      await mkdir(own)
      await fill(own, { library, records: 1000 })
      const setup = { settings: { WORKERS: workers }, cores: bothCores }
      const vitrine = await start('vitrine', setup, { folder: own, reference: '' })
      const send = (length: number) =>
        measure(vitrine, showRequest, { folder: own, seconds: length, cores: bothCores })
      try {
        await send(1)
        values.push((await send(seconds)).rate)
      } finally {
        await vitrine.stop()
      }
    }
  }
  const [one = [], two = []] = Object.values(rates)
  const values = two.map((rate, round) => rate / (one[round] ?? NaN))
  const title = '`GET /locations/:id` by two workers, as a ratio of one process on the same cores'
  return [{ title, unit: '', values, target: { atLeast: 1 } }]
}

/** Reads and creates on PostgreSQL, whose server shares the core of the load generator. */
export async function measurePostgres({ folder, library, rounds }: Place): Promise<Figure[]> {
  await fill(folder, { library })
  const server = await openPostgresServer({ settings: { fsync: 'on' } })
  try {
    const settings = { DATABASE_URL: server.url }
    const vitrine = await start('vitrine', { settings }, { folder, reference: '' })
    try {
      await createKnown(vitrine.port)
      const send = (request: Request, length: number) =>
        measure(vitrine, request, { folder, seconds: length })
      const [show, create]: [number[], number[]] = [[], []]
      await send(showRequest, 1)
      for (let round = 0; round < rounds; round += 1) {
        show.push((await send(showRequest, seconds)).rate)
        create.push((await send(createRequest, seconds)).rate)
      }
      return [
        { title: '`GET /locations/:id` on PostgreSQL', unit: 'requests/s', values: show },
        { title: '`POST /locations` on PostgreSQL, fsync on', unit: 'requests/s', values: create },
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
  const { status } = await fetch(url, { method: 'PUT', headers: fields, body: createRequest.body })
  if (status !== 201) throw new Error(`the record was not created: ${String(status)}`)
}
