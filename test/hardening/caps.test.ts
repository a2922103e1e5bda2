import assert from 'node:assert/strict'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { asJson, listOf, openClient, type Send } from '../support/client.ts'
import { limit, startInFolder } from '../support/stopping.ts'
import { asForm, createRecord, samples } from '../support/resources.ts'
import { testApp } from '../support/test-app.ts'
import { startVitrine } from '../support/start-vitrine.ts'

const json = { accept: 'application/json' }

test('a record over the limit is rejected with 507, whatever creates it', async (t) => {
  const app = await testApp(t, { settings: { MAX_RECORDS: '2' } })
  for (const { path, fields } of samples) {
    await t.test(path, async () => {
      const put = (id: string, payload: object = fields) =>
        app.inject({ method: 'PUT', url: `${path}/${id}`, payload, headers: json })
      const { _id } = await createRecord(app, path, fields)
      assert.equal((await put('chosen')).statusCode, 201)
      const rejected = await app.inject({
        method: 'POST',
        url: path,
        payload: fields,
        headers: json,
      })
      assert.equal(rejected.statusCode, 507)
      assert.match(rejected.json<{ type: string }>().type, /\/problems\/insufficient-storage$/)
      const page = await app.inject({ method: 'POST', url: path, ...asForm(fields) })
      assert.equal(page.statusCode, 507)
      const reached =
        /There are 2 [a-z]+, the limit MAX_RECORDS of this service\. Nothing was stored\./
      assert.match(page.body, reached)
      assert.match(rejected.json<{ detail: string }>().detail, reached)
      // One line for the request, and none for a failure.
      assert.deepEqual(
        app.logLines.filter((line) => /"level":[^3]/.test(line)),
        [],
      )
      assert.equal((await put('other')).statusCode, 507)
      assert.equal((await app.inject(`${path}/other`)).statusCode, 404)
      // Everything else works.
      assert.equal((await put('chosen', { ...fields, name: 'New' })).statusCode, 200)
      const change = { method: 'PATCH', url: `${path}/${_id}`, payload: { name: 'Newer' } } as const
      assert.equal((await app.inject(change)).statusCode, 200)
      assert.equal((await app.inject({ method: 'DELETE', url: `${path}/${_id}` })).statusCode, 200)
      assert.equal((await put('other')).statusCode, 201)
      assert.equal((await put('another')).statusCode, 507)
      assert.equal((await app.inject({ url: path, headers: json })).json<unknown[]>().length, 2)
    })
  }
})

test('concurrent creations never exceed the limit', async (t) => {
  const app = await testApp(t, { settings: { MAX_RECORDS: '10' } })
  const responses = await Promise.all(
    Array.from({ length: 40 }, () =>
      app.inject({ method: 'POST', url: '/places', payload: { name: 'Rome' } }),
    ),
  )
  const statuses = responses.map(({ statusCode }) => statusCode)
  const kept = (await app.inject({ url: '/places', headers: json })).json<unknown[]>()
  assert.equal(statuses.filter((status) => status === 201).length, kept.length)
  assert.equal(statuses.filter((status) => status === 507).length, 40 - kept.length)
  // PostgreSQL may keep a few more.
  if (process.env.TEST_DATABASE_URL === undefined) assert.equal(kept.length, 10)
})

test('a key over the limit is rejected, and its request can be sent without', async (t) => {
  const app = await testApp(t, { settings: { MAX_RECORDS: '2' } })
  const create = async (key?: string) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    const request = { method: 'POST', url: '/places', headers, payload: { name: 'Rome' } }
    return (await app.inject({ ...request, method: 'POST' })).statusCode
  }
  assert.deepEqual([await create('a'), await create('a')], [201, 201])
  assert.equal(await create('b'), 201)
  assert.equal(await create('c'), 507)
  assert.equal((await app.inject({ url: '/places', headers: json })).json<[]>().length, 2)
  assert.equal(await create('b'), 201)
})

const mebibyte = 1024 ** 2
const note = 'n'.repeat(2000)

async function fill(sendRequest: Send, name: string): Promise<string[]> {
  for (const ids: string[] = []; ; ids.push(`${name}-${String(ids.length)}`)) {
    const path = `/places/${name}-${String(ids.length)}`
    const { status, text } = await sendRequest(path, asJson('PUT', { name, note }))
    if (status === 201) continue
    assert.equal(status, 507, text)
    assert.match(text, /The database has the maximum size, MAX_DATABASE_BYTES/)
    return ids
  }
}

test(
  'a database at its maximum size serves and deletes, and accepts more after that',
  limit,
  async (t) => {
    const settings = { MAX_DATABASE_BYTES: String(mebibyte) }
    const vitrine = await startInFolder(t, settings)
    const path = join(vitrine.folder, 'vitrine.db')
    const sendRequest = openClient(t, vitrine.origin)
    const ids = await fill(sendRequest, 'first')
    assert.ok(ids.length > 100, String(ids.length))
    const all = async () =>
      (await listOf<{ _id: string }>(sendRequest, '/places')).map(({ _id }) => _id)
    assert.deepEqual((await all()).toSorted(), ids.toSorted())
    assert.equal((await sendRequest('/places/first-0')).status, 200)
    for (const id of ids.slice(0, 100)) {
      assert.equal((await sendRequest(`/places/${id}`, { method: 'DELETE' })).status, 200, id)
    }
    const more = await fill(sendRequest, 'second')
    assert.ok(more.length >= 90, String(more.length))
    assert.deepEqual((await all()).toSorted(), [...ids.slice(100), ...more].toSorted())
    vitrine.process.kill('SIGTERM')
    await once(vitrine.process, 'exit')
    assert.ok((await stat(path)).size <= mebibyte)
    const database = new DatabaseSync(path, { readOnly: true })
    assert.deepEqual(
      { ...database.prepare('PRAGMA integrity_check').get() },
      { integrity_check: 'ok' },
    )
    database.close()
    // The full database can be opened again.
    const again = await startVitrine(t, { DATABASE_URL: `sqlite:${path}`, ...settings })
    const sendAgain = openClient(t, again.origin)
    assert.equal((await sendAgain('/places/second-0')).status, 200)
    assert.ok((await fill(sendAgain, 'third')).length < 5)
  },
)
