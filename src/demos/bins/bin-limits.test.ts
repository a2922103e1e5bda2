import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createBin, type NewBin } from '../../../test/support/bins.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { findStatements } from '../../../test/support/statements.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'

test('an expired bin is gone, and its data is removed', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'vitrine.db')
  const settings = {
    DATABASE_URL: `sqlite:${file}`,
    BIN_DAYS: '2',
    FILES_URL: `file:${folder}/files`,
  }
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  const app = await testApp(t, { settings })
  const bin = await createBin(app)
  const later = await createBin(app)
  await bin.send('/a', { method: 'POST', payload: Buffer.alloc(100_000) })
  t.mock.timers.setTime(now + 2 * 86_400_000 - 1000)
  await later.send('/b')
  assert.equal((await bin.list()).length, 1)
  t.mock.timers.setTime(now + 2 * 86_400_000 + 2000)
  for (const response of [await bin.send(), await bin.read(), await bin.read('/requests')])
    assert.equal(response.statusCode, 410)
  await testApp(t, { settings })
  using database = new DatabaseSync(file, { readOnly: true })
  const count = database.prepare("SELECT count(*) AS n FROM records WHERE resource LIKE '%bin%'")
  await until(() => count.get()?.n === 0)
  assert.deepEqual(database.prepare('SELECT id FROM changes WHERE document IS NOT NULL').all(), [])
})

test('the oldest bin without requests makes space for a new one, and others do not', async (t) => {
  const app = await testApp(t, { settings: { MAX_BINS: '2' } })
  const [used, unused] = [await createBin(app), await createBin(app)]
  await used.send()
  const third = await createBin(app)
  assert.equal((await unused.send()).statusCode, 404)
  await third.send()
  const full = await app.inject({ method: 'POST', url: '/bins' })
  assert.equal(full.statusCode, 507)
  assert.match(full.body, /MAX_BINS/)
  assert.equal((await used.list()).length, 1)
})

test('MAX_BINS is also the limit of bins that are created at the same time', async (t) => {
  const app = await testApp(t, { settings: { MAX_BINS: '5' } })
  const bins: NewBin[] = []
  for (let round = 0; round < 3; round += 1) {
    const create = () => app.inject({ method: 'POST', url: '/bins' })
    const created = await Promise.all(Array.from({ length: 20 }, create))
    bins.push(...created.map((response) => response.json<NewBin>()))
  }
  const sent = await Promise.all(bins.map(({ id }) => app.inject(`/b/${id}`)))
  assert.equal(sent.filter(({ statusCode }) => statusCode === 200).length, 5)
})

test('at the limit, the requests of each bin are not counted for each new bin', async (t) => {
  // Only SQLite publishes its statements.
  const app = await testApp(t, { settings: { MAX_BINS: '50', DATABASE_URL: 'sqlite::memory:' } })
  for (let number = 0; number < 50; number += 1) await (await createBin(app)).send()
  const statements = await findStatements(async () => {
    for (let number = 0; number < 60; number += 1)
      assert.equal((await app.inject({ method: 'POST', url: '/bins' })).statusCode, 507)
  })
  const counted = statements.filter((sql) => /^SELECT count.*'~bin-requests'/.test(sql)).length
  // The bins are listed again after some seconds.
  assert.ok(counted >= 50 && counted <= 500, String(counted))
})
