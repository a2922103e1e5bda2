import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  browserAccept,
  openRecord,
  readRecord,
  samples,
  temporaryDatabase,
} from '../../../test/support/resources.ts'
import { testApp, useApp, type TestApp } from '../../../test/support/test-app.ts'

const types = { json: 'application/json', text: 'text/plain', html: 'text/html' } as const

async function tagsOf(app: TestApp, url: string) {
  const tags: Record<string, string> = {}
  for (const [name, accept] of Object.entries(types)) {
    const { headers } = await app.inject({ url, headers: { accept } })
    tags[name] = String(headers.etag)
  }
  return tags as Record<keyof typeof types, string>
}

/** For tests that look only at what they store. */
const shared = useApp()

for (const { path, fields } of samples) {
  test(`every representation of ${path}/:id has its own tag, and that of the page is weak`, async (t) => {
    const { app, _id, url } = await openRecord(shared(), path, fields)
    const { json, text, html } = await tagsOf(app, url)
    assert.match(json, /^"[^"]+"$/)
    assert.match(text, /^"[^"]+"$/)
    assert.match(html, /^W\/"[^"]+"$/)
    assert.equal(new Set([json, text, html]).size, 3)
    for (const [suffix, tag] of [
      ['json', json],
      ['txt', text],
      ['html', html],
    ] as const) {
      await t.test(`${suffix} ${tag}`, async () => {
        const { headers } = await app.inject(`${path}/${_id}.${suffix}`)
        assert.equal(headers.etag, tag)
      })
    }
  })

  test(`${path}/:id gets 304 for its own tag and its date, with GET and HEAD`, async (t) => {
    const { app, url } = await openRecord(shared(), path, fields)
    for (const accept of Object.values(types)) {
      await t.test(accept, async () => {
        const { headers } = await app.inject({ url, headers: { accept } })
        const date = String(headers['last-modified'])
        const rows: [status: number, conditions: Record<string, string>][] = [
          [304, { 'if-none-match': String(headers.etag) }],
          [304, { 'if-none-match': `"other", ${String(headers.etag).replace('W/', '')}` }],
          [304, { 'if-none-match': '*' }],
          [200, { 'if-none-match': '"other"' }],
          [200, { 'if-none-match': '"other"', 'if-modified-since': date }],
          [304, { 'if-modified-since': date }],
          [200, { 'if-modified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }],
          [200, { 'if-modified-since': 'yesterday' }],
          [412, { 'if-match': '"other"' }],
          [412, { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }],
          [200, { 'if-unmodified-since': date }],
          [200, { 'if-match': '*' }],
          [accept === 'text/html' ? 412 : 200, { 'if-match': String(headers.etag) }],
        ]
        for (const [status, conditions] of rows) {
          for (const method of ['GET', 'HEAD'] as const) {
            const response = await app.inject({ method, url, headers: { accept, ...conditions } })
            const what = `${method} ${accept} ${JSON.stringify(conditions)}`
            assert.equal(response.statusCode, status, what)
            assert.match(String(response.headers.vary), /Accept\b(?!-)/, what)
            if (status === 412) continue
            assert.equal(response.headers.etag, headers.etag, what)
            assert.equal(response.headers['cache-control'], 'private, no-cache', what)
            if (status === 304) assert.equal(response.body, '', what)
          }
        }
      })
    }
  })

  test(`a write to ${path}/:id evaluates its preconditions`, async (t) => {
    const { app, url } = await openRecord(shared(), path, fields)
    const send = async (method: 'PATCH' | 'PUT', conditions: Record<string, string>) =>
      app.inject({ method, url, headers: conditions, payload: fields })
    for (const method of ['PATCH', 'PUT'] as const) {
      await t.test(method, async () => {
        const old = await tagsOf(app, url)
        await app.inject({ method: 'PATCH', url, payload: { name: `New ${method}` } })
        const { json, text, html } = await tagsOf(app, url)
        assert.equal(new Set(Object.values(old).concat(json, text, html)).size, 6)
        const rejected: Record<string, string>[] = [
          { 'if-match': old.json },
          { 'if-match': old.text },
          { 'if-match': html },
          { 'if-match': html.replace('W/', '') },
          { 'if-match': `W/${json}` },
          { 'if-match': 'no tag' },
          { 'if-none-match': '*' },
          { 'if-none-match': json },
          { 'if-none-match': html.replace('W/', '') },
          { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
        ]
        for (const conditions of rejected) {
          const response = await send(method, conditions)
          assert.equal(response.statusCode, 412, `${method} ${JSON.stringify(conditions)}`)
          assert.equal(response.headers.etag, json)
          const isUnquoted = conditions['if-match'] === 'no tag'
          assert.equal(response.body.includes('has no quotation marks'), isUnquoted)
          const isWeak = conditions['if-match']?.startsWith('W/') === true
          assert.equal(response.body.includes('never matches a weak ETag'), isWeak)
        }
        assert.deepEqual(await tagsOf(app, url), { json, text, html })
        assert.equal((await send(method, { 'if-match': `"other", ${text}` })).statusCode, 200)
        assert.equal((await send(method, { 'if-match': '*' })).statusCode, 200)
        const later = { 'if-unmodified-since': 'Thu, 01 Jan 2099 00:00:00 GMT' }
        assert.equal((await send(method, later)).statusCode, 200)
        assert.equal((await send(method, { 'if-none-match': '"other"' })).statusCode, 200)
      })
    }
  })

  test(`DELETE ${path}/:id evaluates its preconditions`, async () => {
    const { app, url } = await openRecord(shared(), path, fields)
    const { json: old } = await tagsOf(app, url)
    await app.inject({ method: 'PATCH', url, payload: { name: 'New' } })
    for (const conditions of [{ 'if-match': old }, { 'if-none-match': '*' }]) {
      const response = await app.inject({ method: 'DELETE', url, headers: conditions })
      assert.equal(response.statusCode, 412)
    }
    const { json } = await tagsOf(app, url)
    const headers = { 'if-match': json }
    assert.equal((await app.inject({ method: 'DELETE', url, headers })).statusCode, 200)
    assert.equal((await app.inject({ method: 'DELETE', url, headers })).statusCode, 404)
  })

  test(`with If-None-Match: * PUT to ${path}/:id creates and never replaces`, async () => {
    const app = shared()
    const put = { method: 'PUT', url: `${path}/mine`, payload: fields } as const
    assert.equal((await app.inject({ ...put, headers: { 'if-match': '*' } })).statusCode, 412)
    const headers = { 'if-none-match': '*' }
    const responses = await Promise.all(
      Array.from({ length: 5 }, async () => app.inject({ ...put, headers })),
    )
    const statuses = responses.map(({ statusCode }) => statusCode).toSorted()
    assert.deepEqual(statuses, [201, 412, 412, 412, 412])
  })

  test(`of twenty changes of ${path}/:id with one tag, one succeeds and nineteen get 412`, async (t) => {
    const { app, url } = await openRecord(shared(), path, fields)
    for (const method of ['PATCH', 'PUT'] as const) {
      await t.test(method, async () => {
        const { json } = await tagsOf(app, url)
        const names = Array.from({ length: 20 }, (_, index) => `Racer ${String(index)}`)
        const responses = await Promise.all(
          names.map(async (name) =>
            app.inject({
              method,
              url,
              headers: { 'if-match': json },
              payload: { ...fields, name },
            }),
          ),
        )
        const winners = names.filter((_, index) => responses[index]?.statusCode === 200)
        assert.equal(winners.length, 1)
        assert.equal(responses.filter(({ statusCode }) => statusCode === 412).length, 19)
        assert.equal((await readRecord(app, url)).name, winners[0])
      })
    }
  })
}

test('tags are the same after a restart, and different for a record created again', async (t) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  const url = '/places/rome'
  const put = { method: 'PUT', url, payload: { name: 'Rome' } } as const
  const app = await testApp(t, { settings })
  await app.inject(put)
  const before = await tagsOf(app, url)
  const again = await testApp(t, { settings })
  assert.deepEqual(await tagsOf(again, url), before)
  await again.inject({ method: 'DELETE', url })
  await again.inject(put)
  const after = await tagsOf(again, url)
  for (const name of ['json', 'text', 'html'] as const) assert.notEqual(after[name], before[name])
})

test('the response to POST and PATCH has the tag of the new state, and to PUT none', async () => {
  const app = shared()
  const accept = { accept: 'application/json' }
  const request = { method: 'POST', url: '/places', headers: accept } as const
  const created = await app.inject({ ...request, payload: { name: 'Rome' } })
  const url = String(created.headers.location)
  assert.equal(created.headers.etag, (await tagsOf(app, url)).json)
  const patched = await app.inject({ method: 'PATCH', url, payload: { name: 'Roma' } })
  assert.equal(patched.headers.etag, (await tagsOf(app, url)).json)
  const put = await app.inject({ method: 'PUT', url, payload: { name: 'Rom' } })
  assert.equal(put.headers.etag, undefined)
})

test('a malformed request is rejected before its preconditions are evaluated, and invalid fields after', async (t) => {
  const app = shared()
  await app.inject({ method: 'PUT', url: '/places/rome', payload: { name: 'Rome' } })
  const stale = { 'if-match': '"stale"' }
  const rows: [status: number, url: string, headers: Record<string, string>, payload: string][] = [
    [404, '/places/nowhere', {}, '{}'],
    [415, '/places/rome', { 'content-type': 'text/plain' }, 'x'],
    [400, '/places/rome', { 'content-type': 'application/json' }, '{'],
    [412, '/places/rome', { 'content-type': 'application/json' }, '{"name":""}'],
  ]
  for (const [status, url, headers, payload] of rows) {
    await t.test(payload, async () => {
      const request = { method: 'PATCH', url, headers: { ...headers, ...stale }, payload } as const
      assert.equal((await app.inject(request)).statusCode, status)
    })
  }
})

test('with REQUIRE_IF_MATCH=on a write to a record without If-Match gets 428', async (t) => {
  const app = await testApp(t, { settings: { REQUIRE_IF_MATCH: 'on' } })
  const url = '/places/rome'
  const payload = { name: 'Rome' }
  assert.equal((await app.inject({ method: 'PUT', url, payload })).statusCode, 201)
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    await t.test(method, async () => {
      const response = await app.inject({ method, url, ...(method !== 'DELETE' && { payload }) })
      assert.equal(response.statusCode, 428)
      assert.match(response.body, /If-Match/)
    })
  }
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    await t.test(method, async () => {
      const response = await app.inject({
        method,
        url,
        headers: { 'if-match': (await tagsOf(app, url)).json },
        ...(method !== 'DELETE' && { payload }),
      })
      assert.equal(response.statusCode, 200)
    })
  }
})

test('an edit form without script sends the version that it was made from', async (t) => {
  const app = await testApp(t, { settings: { REQUIRE_IF_MATCH: 'on' } })
  const url = '/places/rome'
  await app.inject({ method: 'PUT', url, payload: { name: 'Rome' } })
  const submit = async (page: string, fields: Record<string, string>) => {
    const [, quoted = ''] = /name="_if_match" value="([^"]*)"/.exec(page) ?? []
    const tag = quoted.replaceAll('&quot;', '"')
    const payload = new URLSearchParams({ ...fields, _if_match: tag }).toString()
    const headers = { accept: browserAccept, 'content-type': 'application/x-www-form-urlencoded' }
    return app.inject({ method: 'POST', url, headers, payload })
  }
  const { body: form } = await app.inject(`${url}/edit`)
  const { body: page } = await app.inject(url)
  const patch = { _method: 'PATCH', name: 'Roma' }
  assert.equal((await submit(form, patch)).statusCode, 303)
  assert.equal((await submit(form, patch)).statusCode, 412)
  assert.equal((await submit(page, { _method: 'DELETE' })).statusCode, 412)
  const { body: fresh } = await app.inject(url)
  assert.equal((await submit(fresh, { _method: 'DELETE' })).statusCode, 303)
  assert.equal((await app.inject(url)).statusCode, 404)
})
