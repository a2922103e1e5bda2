import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  asForm,
  fieldsOf,
  findStored,
  openRecord,
  openStored,
  readRecord,
  samples,
  temporaryDatabase,
  without,
  type Shown,
} from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

/** For tests that each have an id of their own. */
const shared = useApp()

for (const { path, fields } of samples) {
  const readable = without<string | number>(fields, 'password')

  test(`PUT ${path}/:id creates with 201 and Location, then replaces with 200`, async (t) => {
    const app = shared()
    for (const [url, id] of [
      [`${path}/mine`, 'mine'],
      [`${path}/mine-too/`, 'mine-too'],
    ] as const) {
      await t.test(`${url} ${id}`, async () => {
        const created = await app.inject({ method: 'PUT', url, payload: fields })
        assert.equal(created.statusCode, 201)
        assert.equal(created.headers.location, `${path}/${id}`)
        assert.equal(created.headers['content-type'], 'application/json; charset=utf-8')
        const { createdAt, updatedAt, ...first } = created.json<Shown>()
        assert.deepEqual(first, { _id: id, ...readable })
        assert.equal(updatedAt, createdAt)

        const payload = { ...fields, name: 'New' }
        const replaced = await app.inject({ method: 'PUT', url, payload })
        assert.equal(replaced.statusCode, 200)
        assert.equal(replaced.headers.location, undefined)
        const second = replaced.json<Shown>()
        assert.equal(second.name, 'New')
        assert.equal(second.createdAt, createdAt)
        assert.deepEqual(await readRecord(app, url), second)
      })
    }
  })

  test(`PUT ${path}/:id responds with JSON unless a page is requested`, async (t) => {
    const app = shared()
    const responses = [
      [undefined, 'application/json; charset=utf-8'],
      ['*/*', 'application/json; charset=utf-8'],
      ['application/json, text/html;q=0.9', 'application/json; charset=utf-8'],
      ['text/html', 'text/html; charset=utf-8'],
      ['text/html, */*;q=0.1', 'text/html; charset=utf-8'],
    ] as const
    for (const [accept, type] of responses) {
      await t.test(type, async () => {
        const headers = accept === undefined ? {} : { accept }
        for (const status of [201, 200]) {
          const url = `${path}/as-${String(responses.findIndex(([other]) => other === accept))}`
          const response = await app.inject({ method: 'PUT', url, headers, payload: fields })
          assert.equal(response.statusCode, status)
          assert.equal(response.headers['content-type'], type)
          assert.match(String(response.headers.vary), /\bAccept\b(?!-)/)
          assert.ok(response.body.includes(fields.name))
        }
      })
    }
  })

  test(`PUT ${path}/:id accepts a form`, async () => {
    const url = `${path}/of-a-form`
    const response = await shared().inject({ method: 'PUT', url, ...asForm(fields) })
    assert.equal(response.statusCode, 201)
    assert.deepEqual(fieldsOf(await readRecord(shared(), url)), readable)
  })

  test(`the JSON of GET of a record of ${path} can be sent with PUT, and changes nothing`, async (t) => {
    const { app, url, readStored } = await openStored(t, path, fields)
    const before = await readStored()
    const given = await readRecord(app, url)
    for (const headers of [{}, { prefer: 'handling=strict' }]) {
      const response = await app.inject({ method: 'PUT', url, headers, payload: given })
      assert.equal(response.statusCode, 200)
      assert.deepEqual({ ...response.json<Shown>(), updatedAt: '' }, { ...given, updatedAt: '' })
    }
    const after = await readStored()
    assert.deepEqual(after?.document, before?.document)
    assert.equal(after?.createdAt, before?.createdAt)
  })

  test(`PUT ${path}/:id ignores an _id and times in the body`, async () => {
    const payload = { ...fields, _id: 'other', createdAt: '1999', updatedAt: '1999' }
    const url = `${path}/not-other`
    const response = await shared().inject({ method: 'PUT', url, payload })
    assert.equal(response.json<Shown>()._id, 'not-other')
    assert.notEqual(response.json<Shown>().createdAt, '1999')
    assert.equal((await shared().inject(`${path}/other`)).statusCode, 404)
  })

  test(`PUT ${path}/:id without a required field is 422 and creates nothing`, async () => {
    const url = `${path}/incomplete`
    const response = await shared().inject({ method: 'PUT', url, payload: {} })
    assert.equal(response.statusCode, 422)
    assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
    assert.equal((await shared().inject(url)).statusCode, 404)
  })

  for (const id of ['a', 'A', '0', '-', '_', 'NEW', 'news', 'Zz-09_', 'x'.repeat(64)]) {
    test(`PUT ${path}/${id} creates a record of this id`, async () => {
      const app = shared()
      const url = `${path}/${id}`
      assert.equal((await app.inject({ method: 'PUT', url, payload: fields })).statusCode, 201)
      assert.equal((await readRecord(app, url))._id, id)
      const patched = await app.inject({ method: 'PATCH', url, payload: { name: 'New' } })
      assert.equal(patched.statusCode, 200)
      assert.equal((await app.inject({ method: 'DELETE', url })).statusCode, 200)
    })
  }

  const impossible = ['x'.repeat(65), 'a.b', 'a%20b', 'a%2Fb', '%C3%A9', 'a~b', 'a%0A']
  suite(`PUT of an impossible id of ${path} is 404 that names the id, and creates nothing`, () => {
    const empty = useApp()
    for (const id of impossible) {
      test(id, async () => {
        const request = { method: 'PUT', url: `${path}/${id}`, payload: fields } as const
        const response = await empty().inject(request)
        assert.equal(response.statusCode, 404)
        assert.ok(response.body.includes(`${path}/${id}`))
        const list = await empty().inject({ url: path, headers: { accept: 'application/json' } })
        assert.deepEqual(list.json(), [])
      })
    }
  })

  test(`of twenty concurrent PUTs of one new id of ${path} one creates and the others replace`, async (t) => {
    const databaseUrl = await temporaryDatabase(t)
    const app = await testApp(t, { settings: { DATABASE_URL: databaseUrl } })
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const payload = { ...fields, name: String(index) }
        return app.inject({ method: 'PUT', url: `${path}/mine`, payload })
      }),
    )
    const statuses = responses.map(({ statusCode }) => statusCode)
    assert.equal(statuses.filter((status) => status === 201).length, 1)
    assert.equal(statuses.filter((status) => status === 200).length, 19)
    assert.equal((await findStored(databaseUrl, path.slice(1), 'mine'))?.version, 20)
  })
}

test('PUT removes fields that the body leaves out', async () => {
  const { app, url } = await openRecord(shared(), '/places', samples[1].fields)
  const response = await app.inject({ method: 'PUT', url, payload: { name: 'Bare' } })
  assert.equal(response.statusCode, 200)
  assert.deepEqual(fieldsOf(await readRecord(app, url)), { name: 'Bare' })
})
