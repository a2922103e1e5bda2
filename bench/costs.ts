import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { isInstalled, start } from './contenders.ts'
import { fill, type Place } from './fill.ts'
import type { Running } from './processes.ts'
import type { Contender, Row } from './rows.ts'
import { measureSlices, type Slice } from './slices.ts'

/** The slices of Vitrine, the baseline and the peers that are installed. */
export async function measureCosts(row: Row, place: Place): Promise<Map<Contender, Slice[]>> {
  await fill(place, row.records)
  const running = new Map<Contender, Running>()
  try {
    for (const name of ['vitrine', row.baseline, ...(row.peers ?? [])] as const) {
      if (!(await isInstalled(name))) continue
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
  const { slice = 20_000, peers = [] } = row
  // httpbin and go-httpbin have another path for their example of JSON.
  const request = name === 'httpbin' || name === 'go-httpbin' ? { path: '/json' } : row
  // Peers are for information, and some are slow.
  return { request, count: peers.includes(name) ? slice / 20 : slice, folder }
}

/** Writes Vitrine's response, which baselines send too, for them. */
async function writeReference({ port }: Running, { path, body, headers }: Row, folder: string) {
  // Not `fetch`, which decodes compressed content.
  const method = body === undefined ? 'GET' : 'POST'
  const sent = request({ port, path, method, headers: { ...headers } }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const ofTheConnection = ['connection', 'date', 'keep-alive', 'transfer-encoding']
  const fields = Object.entries(response.headers).filter(
    ([name]) => !ofTheConnection.includes(name),
  )
  const content = (await buffer(response)).toString('base64')
  const reference = {
    status: response.statusCode,
    headers: Object.fromEntries(fields),
    body: content,
  }
  await writeFile(join(folder, 'reference.json'), JSON.stringify(reference))
}
