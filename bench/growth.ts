import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { start } from './contenders.ts'
import type { Place } from './figures.ts'
import { fill } from './fill.ts'
import { measure, type Turn } from './measure.ts'
import type { Point } from './results.ts'
import { createRequest, showRequest } from './rows.ts'

const sizes = [1000, 10_000, 100_000, 1_000_000]

/**
 * Measures the cost of showing and creating a record with more and more records. Each turn has a
 * new copy of the database, because creating makes it larger.
 */
export async function measureGrowth(place: Place, seconds: number): Promise<Point[]> {
  const points = sizes.map((records) => ({ records, show: [] as Turn[], create: [] as Turn[] }))
  for (let round = 0; round < place.rounds; round += 1) {
    for (const { records, show, create } of points) {
      const turns = await takeTurn(place, { records, seconds })
      show.push(turns.show)
      create.push(turns.create)
    }
  }
  return points
}

async function takeTurn(
  { folder: parent, library }: Place,
  { records, seconds }: { records: number; seconds: number },
) {
  const folder = join(parent, 'turn')
  await mkdir(folder)
  await fill(folder, { library, records })
  const vitrine = await start('vitrine', {}, { folder, reference: '' })
  const send = (request: typeof showRequest | typeof createRequest, length = seconds) =>
    measure(vitrine, request, { folder, seconds: length })
  try {
    await send(showRequest, 1)
    const show = await send(showRequest)
    await send(createRequest, 1)
    return { show, create: await send(createRequest) }
  } finally {
    await vitrine.stop()
    await rm(folder, { recursive: true })
  }
}
