import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { loadConfig } from '../config/config.ts'
import { buildApp } from '../embed.ts'
import { openRecords } from '../stores/open-stores.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { asFile, asJson, listOf, openClient } from '../../test/support/client.ts'
import { runSucceeding } from '../../test/support/data-folder.ts'
import { emptyDatabase } from '../../test/support/empty-database.ts'
import {
  findOrigin,
  settingsIn,
  spawnVitrine,
  temporaryFolder,
} from '../../test/support/start-vitrine.ts'
import { until } from '../../test/support/until.ts'

const data = { cities: [{ id: 1, name: 'Rome' }] }

async function findStores(t: TestContext) {
  const folder = await temporaryFolder(t)
  const { DATABASE_URL, FILES_URL } = settingsIn(folder)
  return { folder, FILES_URL, DATABASE_URL: await emptyDatabase(DATABASE_URL) }
}

test('records are reset to the data file once after RESET_AT, also at a start', async (t) => {
  const { DATABASE_URL, FILES_URL } = await findStores(t)
  const settings = { DATABASE_URL, FILES_URL, RESET_AT: '03:00' }
  const start = async (time: string) => {
    t.mock.timers.reset()
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse(time) })
    const vitrine = await buildApp({ settings, data })
    const stop = () => vitrine.stop()
    t.after(stop)
    const send = openClient(t, await vitrine.start())
    const names = async () =>
      (await listOf<{ name: string }>(send, '/cities')).map(({ name }) => name).toSorted()
    const add = async (name: string) => {
      assert.equal((await send('/cities', asJson('POST', { name }))).status, 201)
    }
    return { send, names, add, stop }
  }
  const first = await start('2030-01-01T12:00:00Z')
  await first.add('Oslo')
  const bin = await first.send('/bins', { method: 'POST' })
  assert.equal(bin.status, 201)
  await first.send('/profile', asFile(Buffer.from('x'), 'x.txt'))
  await first.stop()
  const before = await start('2030-01-02T02:59:50Z')
  assert.deepEqual(await before.names(), ['Oslo', 'Rome'])
  // A process that runs at this time resets too.
  t.mock.timers.setTime(Date.parse('2030-01-02T03:01:00Z'))
  await until(async () => (await before.names()).join() === 'Rome')
  await until(async () => (await listOf(before.send, '/uploads')).length === 0)
  assert.equal((await before.send(bin.headers.location ?? '')).status, 404)
  await before.add('Bern')
  await before.stop()
  const sameDay = await start('2030-01-03T02:00:00Z')
  await sameDay.add('Kyiv')
  await sameDay.stop()
  assert.deepEqual(await (await start('2030-01-03T02:30:00Z')).names(), ['Bern', 'Kyiv', 'Rome'])
  const late = await start('2030-01-09T23:00:00Z')
  await until(async () => (await late.names()).join() === 'Rome')
})

test('one of several processes resets', async (t) => {
  const stores = await findStores(t)
  const { DATABASE_URL, FILES_URL } = stores
  // Twelve hours from now, so that it is not due while the test runs.
  const RESET_AT = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16)
  const settings = { DATABASE_URL, FILES_URL, RESET_AT, PORT: '0' }
  const start = async () => {
    const { process: child, output } = spawnVitrine(settings)
    t.after(() => child.kill('SIGKILL'))
    const send = openClient(t, await findOrigin({ process: child, output }))
    const stop = async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      return output()
    }
    return { send, stop }
  }
  const first = await start()
  await first.send('/locations', asJson('POST', { name: 'Pier' }))
  assert.doesNotMatch(await first.stop(), /were reset/)
  await pretendDayBefore(DATABASE_URL)
  const all = await Promise.all([start(), start(), start()])
  for (const { send } of all)
    await until(async () => (await listOf(send, '/locations')).length === 0)
  const [one] = all
  await one.send('/locations', asJson('POST', { name: 'Pier' }))
  const outputs = await Promise.all(all.map(({ stop }) => stop()))
  assert.equal(outputs.join('\n').match(/all records were reset/g)?.length, 1, outputs.join('\n'))
  // A backup does not have the time of the reset: what is restored is not reset at once.
  const service = { folder: stores.folder, settings }
  const file = join(stores.folder, 'one.backup')
  await runSucceeding(service, 'backup', file)
  await pretendDayBefore(DATABASE_URL)
  await runSucceeding(service, 'restore', file)
  const restored = await start()
  assert.equal((await listOf(restored.send, '/locations')).length, 1)
  assert.doesNotMatch(await restored.stop(), /were reset/)
})

async function pretendDayBefore(databaseUrl: string): Promise<void> {
  const { records, close } = await openRecords(
    loadConfig({ DATABASE_URL: databaseUrl, DEMOS: 'none' }, []),
  )
  const collection = records.collection(collectionNames.dailyReset)
  const { id, document, version, updatedAt } = (await collection.find('last')) ?? assert.fail()
  const dueAt = new Date(Date.parse(String(document.dueAt)) - 86_400_000).toISOString()
  assert.ok(await collection.change({ id, version, updatedAt, document: { ...document, dueAt } }))
  await close()
}

for (const time of ['24:00', '3:00', '03:60', '03:00:00', '03.00', '3am', '03:00Z', 'off']) {
  test(`RESET_AT=${time} is an error with the name of the setting`, async () => {
    const problem = `RESET_AT must be a time of the day in UTC such as 03:00; it is "${time}"`
    await assert.rejects(buildApp({ settings: { RESET_AT: time } }), { message: problem })
  })
}
