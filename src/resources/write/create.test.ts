import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asForm,
  browserAccept,
  createRecord,
  fieldsOf,
  openRecord,
  readRecord,
  samples,
  without,
  type Shown,
} from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const uuid7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const envelope = '{"data":{},"status":{"code":0,"msg":"delete success"}}'

/** For tests that look only at what they store. */
const shared = useApp()

for (const { path, fields } of samples) {
  for (const accept of [undefined, '*/*', browserAccept, 'text/html']) {
    test(`POST ${path} with Accept: ${accept ?? '(none)'} is 201 with Location and the page of the record`, async () => {
      const app = shared()
      const headers = accept === undefined ? {} : { accept }
      const response = await app.inject({ method: 'POST', url: path, headers, payload: fields })
      assert.equal(response.statusCode, 201)
      assert.match(String(response.headers.location), new RegExp(`^${path}/${uuid7}$`))
      assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(String(response.headers.vary), /\bAccept\b(?!-)/)
      const page = await app.inject(String(response.headers.location))
      const notice =
        /<p class="notice" role="status">(?:Person|Place) created\. Its URL is <a href="([^"]*)" data-own="\1">\1<\/a>\.<\/p>\n/
      assert.equal(notice.exec(response.body)?.[1], response.headers.location)
      assert.equal(page.body, response.body.replace(notice, ''))
    })
  }

  test(`POST ${path} with Accept for JSON is 201 with Location and the created object`, async () => {
    const app = shared()
    const headers = { accept: 'application/json' }
    const response = await app.inject({ method: 'POST', url: path, headers, payload: fields })
    assert.equal(response.statusCode, 201)
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    const created = response.json<Shown>()
    assert.equal(response.headers.location, `${path}/${created._id}`)
    assert.equal(created.updatedAt, created.createdAt)
    assert.deepEqual(await readRecord(app, `${path}/${created._id}`), created)
  })

  test(`POST ${path} accepts a form, JSON, and JSON without its media type, at both URLs`, async () => {
    const app = shared()
    const text = JSON.stringify(fields)
    const requests = [
      asForm(fields),
      { headers: { 'content-type': 'application/json' }, payload: text },
      { headers: { 'content-type': 'application/json; charset=utf-8' }, payload: text },
      { headers: { 'content-type': 'APPLICATION/JSON' }, payload: text },
      { headers: { 'content-type': 'application/vnd.example+json' }, payload: text },
      { headers: {}, payload: Buffer.from(text) },
    ]
    const readable = without<string | number>(fields, 'password')
    for (const request of requests) {
      for (const url of [path, `${path}/`]) {
        const response = await app.inject({ method: 'POST', url, ...request })
        assert.equal(response.statusCode, 201, JSON.stringify(request))
        const shown = await readRecord(app, String(response.headers.location))
        assert.deepEqual(fieldsOf(shown), readable)
      }
    }
  })

  test(`POST ${path} gives records with one name different ids`, async () => {
    const { app, _id } = await openRecord(shared(), path, fields)
    assert.notEqual(_id, (await createRecord(app, path, fields))._id)
  })

  test(`POST ${path} ignores _id, the times and unknown fields`, async () => {
    const app = shared()
    const created = await createRecord(app, path, {
      ...fields,
      _id: 'mine',
      createdAt: '1999-01-01T00:00:00.000Z',
      updatedAt: 'never',
      version: 9,
      _action: 'edit',
      colour: 'red',
    })
    assert.match(created._id, new RegExp(`^${uuid7}$`))
    assert.ok(!created.createdAt.startsWith('1999'))
    const readable = without<string | number>(fields, 'password')
    assert.deepEqual(
      Object.keys(created).toSorted(),
      ['_id', ...Object.keys(readable), 'createdAt', 'updatedAt'].toSorted(),
    )
    assert.equal((await app.inject(`${path}/mine`)).statusCode, 404)
  })

  test(`POST ${path} with handling=strict accepts known fields and confirms it in Preference-Applied`, async () => {
    const app = shared()
    const headers = { accept: 'application/json', prefer: 'handling=strict' }
    const payload = { ...fields, _id: 'x', createdAt: 'x', updatedAt: 'x' }
    const response = await app.inject({ method: 'POST', url: path, headers, payload })
    assert.equal(response.statusCode, 201)
    assert.match(String(response.headers['preference-applied']), /\bhandling=strict\b/)
  })

  test(`POST ${path} is 406 for a client that accepts neither HTML nor JSON, and creates nothing`, async (t) => {
    const app = await testApp(t)
    const headers = { accept: 'image/png' }
    const response = await app.inject({ method: 'POST', url: path, headers, payload: fields })
    assert.equal(response.statusCode, 406)
    const list = await app.inject({ url: path, headers: { accept: 'application/json' } })
    assert.deepEqual(list.json(), [])
  })

  test(`DELETE ${path}/:id responds with exactly the envelope, and the record is deleted`, async () => {
    const app = shared()
    for (const accept of [undefined, '*/*', 'application/json']) {
      for (const slash of ['', '/']) {
        const { _id } = await createRecord(app, path, fields)
        const headers = accept === undefined ? {} : { accept }
        const url = `${path}/${_id}${slash}`
        const response = await app.inject({ method: 'DELETE', url, headers })
        assert.equal(response.statusCode, 200)
        assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
        assert.equal(response.body, envelope)
        assert.equal((await app.inject(url)).statusCode, 404)
        assert.equal((await app.inject({ method: 'DELETE', url })).statusCode, 404)
      }
    }
  })

  test(`DELETE ${path}/:id works with a Content-Type and no body`, async () => {
    const { app, url } = await openRecord(shared(), path, fields)
    const headers = { 'content-type': 'application/json' }
    assert.equal((await app.inject({ method: 'DELETE', url, headers })).statusCode, 200)
  })

  for (const prefer of ['return=minimal', 'respond-async, return=minimal', 'Return="minimal"']) {
    test(`DELETE ${path}/:id with Prefer: ${prefer} is 204 without a body`, async (t) => {
      const app = shared()
      for (const accept of ['*/*', browserAccept]) {
        await t.test(accept, async () => {
          const { _id } = await createRecord(app, path, fields)
          const headers = { accept, prefer }
          const response = await app.inject({ method: 'DELETE', url: `${path}/${_id}`, headers })
          assert.equal(response.statusCode, 204)
          assert.equal(response.body, '')
          assert.equal(response.headers['content-type'], undefined)
          assert.match(String(response.headers['preference-applied']), /\breturn=minimal\b/)
          assert.match(String(response.headers.vary), /\bPrefer\b/)
          assert.equal((await app.inject(`${path}/${_id}`)).statusCode, 404)
        })
      }
    })
  }

  test(`DELETE ${path}/:id with another preference responds with the envelope`, async () => {
    const { app, url } = await openRecord(shared(), path, fields)
    const headers = { prefer: 'return=representation' }
    const response = await app.inject({ method: 'DELETE', url, headers })
    assert.equal(response.body, envelope)
    assert.equal(response.headers['preference-applied'], undefined)
  })

  test(`a form without script deletes a record of ${path} and redirects to the list with 303`, async () => {
    const { app, url } = await openRecord(shared(), path, fields)
    const response = await app.inject({ method: 'POST', url, ...asForm({ _method: 'DELETE' }) })
    assert.equal(response.statusCode, 303)
    assert.equal(response.headers.location, path)
    assert.equal((await app.inject(url)).statusCode, 404)
  })
}
