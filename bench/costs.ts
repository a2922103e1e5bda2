import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { start } from './contenders.ts'
import { fill, type Place } from './fill.ts'
import { sendOnce, type Running } from './processes.ts'
import { peersOf, type Contender, type Row } from './rows.ts'
import { measureSlices, type Slice } from './slices.ts'
import { readVersion } from './versions.ts'

/** The slices of Vitrine, the baseline and the peers that are installed. */
export async function measureCosts(row: Row, place: Place): Promise<Map<Contender, Slice[]>> {
  await fill(place, row.records)
  const running = new Map<Contender, Running>()
  try {
    for (const name of ['vitrine', row.baseline, ...peersOf(row)] as const) {
      if ((await readVersion(name)) === undefined) continue
      const server = await start(name, row, place.folder)
      running.set(name, server)
      if (name === 'vitrine') await writeReference(server, row, place.folder)
    }
    return await measureSlices(running, (name) => toLoad(name, row, place.folder), place.rounds)
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
    return await measureSlices(running, () => toLoad('vitrine', row, place.folder), place.rounds)
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()))
  }
}

function toLoad(name: Contender, row: Row, folder: string) {
  const { slice = 20_000, peers = {} } = row
  const path = peers[name]
  if (path === undefined) return { request: row, count: slice, folder }
  // Peers are for information, and some are slow.
  return { request: { ...row, path }, count: slice / 20, folder }
}

/** Writes Vitrine's response, which baselines send too, for them. */
async function writeReference({ origin }: Running, row: Row, folder: string): Promise<void> {
  const { status, headers, body } = await sendOnce(origin, row)
  const ofTheConnection = ['connection', 'date', 'keep-alive', 'transfer-encoding']
  const fields = Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name))
  const reference = { status, headers: Object.fromEntries(fields), body: body.toString('base64') }
  await writeFile(join(folder, 'reference.json'), JSON.stringify(reference))
}
