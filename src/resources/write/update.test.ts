import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asForm,
  browserAccept,
  createRecord,
  fieldsOf,
  findStored,
  openRecord,
  openStored,
  readRecord,
  samples,
  temporaryDatabase,
} from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

/** For tests that look only at what they store. */
const shared = useApp()

for (const { path, fields } of samples) {
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
  ]) {
    test(`PATCH ${path}/:id with Accept: ${accept ?? '(none)'} responds with exactly the envelope`, async (t) => {
      const { app, _id } = await openRecord(shared(), path, fields)
      const headers = accept === undefined ? {} : { accept }
      for (const slash of ['', '/']) {
        await t.test(slash, async () => {
          const url = `${path}/${_id}${slash}`
          const payload = { name: `New${slash}` }
          const response = await app.inject({ method: 'PATCH', url, headers, payload })
          assert.equal(response.statusCode, 200)
          assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
          assert.match(String(response.headers.vary), /\bAccept\b(?!-)/)
          const redirect = `${path}/${_id}`
          assert.equal(
            response.body,
            `{"data":{"redirect":"${redirect}"},"status":{"code":0,"msg":"delete success"}}`,
          )
          assert.equal((await readRecord(app, redirect)).name, `New${slash}`)
        })
      }
    })
  }

  for (const accept of [browserAccept, 'text/html', 'text/html, application/json;q=0.5']) {
    test(`PATCH ${path}/:id with Accept: ${accept} redirects to the record with 303`, async () => {
      const { app, url } = await openRecord(shared(), path, fields)
      const payload = { name: 'New' }
      const response = await app.inject({ method: 'PATCH', url, headers: { accept }, payload })
      assert.equal(response.statusCode, 303)
      assert.equal(response.headers.location, url)
      assert.equal((await readRecord(app, url)).name, 'New')
    })
  }

  for (const where of ['field', 'query'] as const) {
    test(`a form without script changes a record of ${path} with _method in a ${where}`, async () => {
      const { app, url } = await openRecord(shared(), path, fields)
      const response = await app.inject({
        method: 'POST',
        url: where === 'query' ? `${url}/?_method=PATCH` : `${url}/`,
        ...asForm({ name: 'New', ...(where === 'field' && { _method: 'PATCH' }) }),
      })
      assert.equal(response.statusCode, 303)
      assert.equal(response.headers.location, url)
      assert.equal((await readRecord(app, url)).name, 'New')
    })
  }

  test(`PATCH ${path}/:id changes only the fields in its body`, async (t) => {
    const databaseUrl = await temporaryDatabase(t)
    const app = await testApp(t, { settings: { DATABASE_URL: databaseUrl } })
    const { _id, createdAt } = await createRecord(app, path, fields)
    const before = await findStored(databaseUrl, path.slice(1), _id)
    const url = `${path}/${_id}`
    await app.inject({ method: 'PATCH', url, payload: { name: 'New' } })
    await app.inject({ method: 'PATCH', url, ...asForm({ name: 'Newer' }) })
    const after = await findStored(databaseUrl, path.slice(1), _id)
    assert.deepEqual(after?.document, { ...before?.document, name: 'Newer' })
    assert.equal(after.version, 3)
    assert.equal(after.createdAt, createdAt)
    assert.ok(after.updatedAt >= createdAt)
  })

  test(`PATCH ${path}/:id without fields changes nothing`, async (t) => {
    const { app, url, readStored } = await openStored(t, path, fields)
    const before = await readStored()
    const headers = { 'content-type': 'application/json' }
    for (const payload of ['', '{}', '{"_id":"other","createdAt":"1999","updatedAt":"x","a":1}']) {
      await t.test(payload, async () => {
        assert.equal((await app.inject({ method: 'PATCH', url, headers, payload })).statusCode, 200)
      })
    }
    const after = await readStored()
    assert.deepEqual(after?.document, before?.document)
    assert.equal(after?.createdAt, before?.createdAt)
  })

  test(`a rejected change of a record of ${path} changes nothing`, async (t) => {
    const { app, url, readStored } = await openStored(t, path, fields)
    const before = await readStored()
    for (const method of ['PATCH', 'PUT'] as const) {
      await t.test(method, async () => {
        const payload = { ...fields, name: '' }
        assert.equal((await app.inject({ method, url, payload })).statusCode, 422)
      })
    }
    assert.deepEqual(await readStored(), before)
  })

  test(`PATCH ${path}/:id rejects null for a required field`, async () => {
    const { app, url } = await openRecord(shared(), path, fields)
    for (const field of path === '/people' ? ['name', 'password'] : ['name']) {
      const response = await app.inject({ method: 'PATCH', url, payload: { [field]: null } })
      assert.equal(response.statusCode, 422)
      assert.equal(response.json<{ errors: unknown[] }>().errors.length, 1)
      assert.match(response.body, new RegExp(`"#/${field}"`))
    }
  })

  test(`twenty concurrent changes of a record of ${path} are all applied`, async (t) => {
    const { app, url, readStored } = await openStored(t, path, fields)
    const names = Array.from({ length: 20 }, (_, index) => `Name ${String(index)}`)
    const responses = await Promise.all(
      names.map((name) => app.inject({ method: 'PATCH', url, payload: { name } })),
    )
    assert.deepEqual(new Set(responses.map(({ statusCode }) => statusCode)), new Set([200]))
    const stored = await readStored()
    assert.equal(stored?.version, 21)
    assert.ok(names.includes(String(stored.document.name)))
  })
}

test('concurrent changes of different fields are all applied', async () => {
  const { app, url } = await openRecord(shared(), '/places', { name: 'Pier' })
  const changes = [{ name: 'New' }, { note: 'noted' }, { latitude: 1, longitude: 2 }]
  await Promise.all(changes.map((payload) => app.inject({ method: 'PATCH', url, payload })))
  const { name, note, latitude, longitude } = await readRecord(app, url)
  assert.deepEqual(
    { name, note, latitude, longitude },
    { name: 'New', note: 'noted', latitude: 1, longitude: 2 },
  )
})

const removals: [change: Record<string, null>, left: Record<string, unknown>][] = [
  [{ note: null }, { name: 'Pier', latitude: 53.5, longitude: -9.25 }],
  [
    { latitude: null, longitude: null },
    { name: 'Pier', note: 'by the water' },
  ],
  [{ latitude: null, longitude: null, note: null }, { name: 'Pier' }],
]

for (const [change, left] of removals) {
  test(`null in JSON removes ${Object.keys(change).join(', ')}`, async () => {
    const { app, url } = await openRecord(shared(), '/places', samples[1].fields)
    assert.equal((await app.inject({ method: 'PATCH', url, payload: change })).statusCode, 200)
    assert.deepEqual(fieldsOf(await readRecord(app, url)), left)
  })
}

test('a blank optional field in the edit form removes it from the record', async () => {
  const { app, url } = await openRecord(shared(), '/places', samples[1].fields)
  const blank = { name: 'Pier', latitude: '', longitude: ' ', note: '' }
  assert.equal((await app.inject({ method: 'PATCH', url, ...asForm(blank) })).statusCode, 303)
  assert.deepEqual(fieldsOf(await readRecord(app, url)), { name: 'Pier' })
})

test('a blank optional field in the new form counts as absent', async () => {
  const app = shared()
  const blank = { name: 'Pier', latitude: '', longitude: '', note: '  ' }
  const response = await app.inject({ method: 'POST', url: '/places', ...asForm(blank) })
  assert.equal(response.statusCode, 201)
  const shown = await readRecord(app, String(response.headers.location))
  assert.deepEqual(fieldsOf(shown), { name: 'Pier' })
})

test('a form may leave out the optional fields, and numbers may have spaces and signs', async () => {
  const app = shared()
  const fields = { name: 'Pier', latitude: ' -1.50 ', longitude: '+7' }
  const response = await app.inject({ method: 'POST', url: '/places', ...asForm(fields) })
  assert.equal(response.statusCode, 201)
  const { latitude, longitude, note } = await readRecord(app, String(response.headers.location))
  assert.deepEqual([latitude, longitude, note], [-1.5, 7, undefined])
})
