import { join } from 'node:path'
import { start } from './contenders.ts'
import { fill, type Place } from './fill.ts'
import type { Running } from './processes.ts'
import { peersOf, type Contender, type Row } from './rows.ts'
import { measureSlices, type Slice } from './slices.ts'
import { readVersion } from './versions.ts'

/** The slices of Vitrine and of the peers that are installed. */
export async function measureCosts(row: Row, place: Place): Promise<Map<Contender, Slice[]>> {
  const { folder, rounds } = place
  await fill(place, row.records)
  const running = new Map<Contender, Running>()
  try {
    for (const name of ['vitrine', ...peersOf(row)] as const) {
      if ((await readVersion(name)) === undefined) continue
      running.set(name, await start(name, row, folder))
    }
    const toLoad = (name: Contender) => toPeerLoad(name, row, folder)
    return await measureSlices(running, toLoad, rounds)
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()))
  }
}

/** The slices of two versions of Vitrine: `base` in the folder `root`, and this one. */
export async function compareVersions(row: Row, root: string, place: Place) {
  const running = new Map<'base' | 'this', Running>()
  try {
    for (const [name, source] of [
      ['base', root],
      ['this', undefined],
    ] as const) {
      const folder = join(place.folder, name)
      await fill({ ...place, folder }, row.records)
      const setup = source === undefined ? row : { ...row, root: source }
      running.set(name, await start('vitrine', setup, folder))
    }
    return await measureSlices(
      running,
      () => toPeerLoad('vitrine', row, place.folder),
      place.rounds,
    )
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()))
  }
}

function toPeerLoad(name: Contender, { request, peers, slice = 20_000 }: Row, folder: string) {
  const peer = peers[name]
  // Slow peers get fewer requests, so that a round takes seconds.
  const count = peer === undefined || name === 'go-httpbin' ? slice : slice / 4
  return { request: peer ?? request, count, folder }
}
