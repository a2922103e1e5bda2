import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  settingsIn,
  spawnVitrine,
  startVitrine,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asFile, asJson, listOf, openClient, toCookie, type Send } from '../support/client.ts'
import { assertAcknowledged, createLedger, type Ledger } from './ledger.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 10)
const credentials = { username: 'crash', password: 'a password' }

interface Location {
  _id: string
  name: string
  note: string
  latitude: number
  longitude: number
}

interface Upload {
  _id: string
  name: string
  sha256: string
  size: number
}

interface Ledgers {
  locations: Ledger
  uploads: Ledger
  sessions: Ledger
}

async function acknowledged(send: Send, ...request: Parameters<Send>): ReturnType<Send> {
  const response = await send(...request)
  assertAcknowledged(response.status, response.text)
  return response
}

/** The fields of a location that are compared. */
function toState({ note, latitude, longitude }: Omit<Location, '_id' | 'name'>): string {
  return JSON.stringify([note, latitude, longitude])
}

function randomPlace() {
  const note = randomBytes(randomInt(1, 900)).toString('hex')
  return { note, latitude: randomInt(-90, 91), longitude: randomInt(-180, 181) }
}

/** Creates, changes and deletes its own locations, one after the other, without end. */
async function writeLocations(send: Send, ledger: Ledger, prefix: string): Promise<never> {
  const own: string[] = []
  for (let count = 1; ; count += 1) {
    const name = `${prefix}-${String(count)}`
    const place = randomPlace()
    const body = { name, ...place }
    // An id that the client has chosen, or one that the service assigns.
    const [path, method] = count % 2 === 0 ? [`/locations/${name}`, 'PUT'] : ['/locations', 'POST']
    const write = () => acknowledged(send, path, asJson(method, body))
    const created = await ledger.record(name, toState(place), write)
    own.push(`${name} ${created.headers.location ?? path}`)
    const [changed = '', url = ''] = own[randomInt(own.length)]?.split(' ') ?? []
    if (count % 3 === 0) {
      own.splice(own.indexOf(`${changed} ${url}`), 1)
      await ledger.record(changed, undefined, () => acknowledged(send, url, { method: 'DELETE' }))
    } else {
      const after = randomPlace()
      const patch = asJson('PATCH', after)
      await ledger.record(changed, toState(after), () => acknowledged(send, url, patch))
    }
  }
}

async function uploadFiles(send: Send, ledger: Ledger, prefix: string): Promise<never> {
  for (let count = 1; ; count += 1) {
    const name = `${prefix}-${String(count)}.bin`
    const content = randomBytes(randomInt(1, 200_000))
    const write = () => acknowledged(send, '/profile', asFile(content, name))
    await ledger.record(name, toSha256(content), write)
  }
}

/** Logs in, and every third time out again. */
async function logIn(send: Send, ledger: Ledger): Promise<never> {
  for (let count = 1; ; count += 1) {
    const cookie = toCookie(await acknowledged(send, '/login', asJson('POST', credentials)))
    await ledger.record(cookie, 'true', async () => undefined)
    if (count % 3 !== 0) continue
    const logOut = { method: 'POST', headers: { cookie } }
    await ledger.record(cookie, 'false', () => acknowledged(send, '/logout', logOut))
  }
}

function toSha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** All differences from the acknowledged writes, once the process is up again. */
async function findLosses(send: Send, ledgers: Ledgers, folder: string): Promise<string[]> {
  const locations = await listOf<Location>(send, '/locations')
  const places = new Map(locations.map((place) => [place.name, toState(place)]))
  assert.equal(places.size, locations.length, 'a name is there twice')
  const uploads = await listOf<Upload>(send, '/uploads')
  const sums = new Map<string, string>()
  for (const { _id, name, sha256, size } of uploads) {
    // An upload killed between its record and its last step is settled just after the start.
    await until(() => existsSync(join(folder, 'files', _id)))
    const content = await readFile(join(folder, 'files', _id))
    assert.equal(content.length, size)
    assert.equal(toSha256(content), sha256)
    sums.set(name, sha256)
  }
  const visits = new Map<string, string>()
  for (const cookie of ledgers.sessions.names()) {
    const { text } = await send('/session', { headers: { cookie } })
    visits.set(cookie, String((JSON.parse(text) as { authenticated: boolean }).authenticated))
  }
  // An unfinished upload stays until it is too old to be in progress.
  const files = (await readdir(join(folder, 'files'))).filter((name) => !name.endsWith('.part'))
  assert.deepEqual(files.toSorted(), uploads.map(({ _id }) => _id).toSorted())
  const database = new DatabaseSync(join(folder, 'vitrine.db'), { readOnly: true })
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, ok)
  database.close()
  return [
    ...ledgers.locations.compare(places),
    ...ledgers.uploads.compare(sums),
    ...ledgers.sessions.compare(visits),
  ]
}

const ok = { integrity_check: 'ok' }

/** Writes on seven connections until the process is killed at some moment. */
async function writeUntilKilled(
  t: TestContext,
  { origin, process: child }: Awaited<ReturnType<typeof startVitrine>>,
  { round, ledgers }: { round: number; ledgers: Ledgers },
): Promise<void> {
  const client = () => openClient(t, origin)
  const enough = countWrites(ledgers) + randomInt(20, 200)
  const prefix = (writer: number) => `${String(round)}-${String(writer)}`
  const writers = [
    ...[1, 2, 3].map((each) => writeLocations(client(), ledgers.locations, prefix(each))),
    ...[4, 5].map((each) => uploadFiles(client(), ledgers.uploads, prefix(each))),
    ...[6, 7].map(() => logIn(client(), ledgers.sessions)),
  ]
  const ended = Promise.allSettled(writers)
  let hasFailed = false
  for (const writer of writers) writer.catch(() => (hasFailed = true))
  await until(() => hasFailed || countWrites(ledgers) >= enough)
  await setTimeout(randomInt(0, 20))
  child.kill('SIGKILL')
  await once(child, 'exit')
  for (const writer of await ended) {
    // Only the end of its connection may end a writer, and no response of the service.
    if (writer.status === 'rejected' && writer.reason instanceof assert.AssertionError) {
      throw writer.reason
    }
  }
}

function countWrites({ locations, uploads, sessions }: Ledgers): number {
  return locations.writes() + uploads.writes() + sessions.writes()
}

test('a process that is repeatedly killed during writes loses no acknowledged write', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { ...settingsIn(folder), LOG_LEVEL: 'silent' }
  const ledgers: Ledgers = {
    locations: createLedger('location'),
    uploads: createLedger('upload'),
    sessions: createLedger('session'),
  }
  const losses: string[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const vitrine = await startVitrine(t, settings)
    const send = openClient(t, vitrine.origin)
    if (round === 1) {
      const { username: name, password } = credentials
      await acknowledged(send, '/users', asJson('POST', { name, password }))
    } else {
      losses.push(...(await findLosses(send, ledgers, folder)))
    }
    await writeUntilKilled(t, vitrine, { round, ledgers })
  }
  const { origin } = await startVitrine(t, settings)
  losses.push(...(await findLosses(openClient(t, origin), ledgers, folder)))
  const { locations, uploads, sessions } = ledgers
  t.diagnostic(
    `${String(rounds)} rounds, ${String(locations.writes())} writes, ` +
      `${String(uploads.writes())} uploads, ${String(sessions.writes())} logins and logouts, ` +
      `${String(losses.length)} lost`,
  )
  assert.deepEqual(losses, [])
})

test('a process that is killed after the first write of a sandbox keeps its copies and the write', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { ...settingsIn(folder), LOG_LEVEL: 'silent' }
  const seeded = spawnVitrine(settings, ['seed', '20'])
  await once(seeded.process, 'close')
  const base = '/s/sandbox-of-crash-001/locations'
  const { origin, process: child } = await startVitrine(t, settings)
  const send = openClient(t, origin)
  const copied = await listOf<Location>(send, base)
  assert.equal(copied.length, 20)
  await acknowledged(send, base, asJson('POST', { name: 'first', latitude: 1, longitude: 2 }))
  child.kill('SIGKILL')
  await once(child, 'exit')
  const again = openClient(t, (await startVitrine(t, settings)).origin)
  const names = (await listOf<Location>(again, base)).map(({ name }) => name)
  assert.deepEqual(names, [...copied.map(({ name }) => name), 'first'])
  assert.equal((await listOf(again, '/locations')).length, 20)
})
