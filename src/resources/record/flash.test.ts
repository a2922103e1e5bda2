import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asForm, browserAccept, openRecord, samples } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'

const page = { accept: browserAccept }

const shared = useApp()

/** The cookie that a browser would send back after this response. */
function cookieAfter(response: { headers: Record<string, unknown> }): string {
  return String(response.headers['set-cookie']).split(';')[0] ?? ''
}

for (const { path, fields } of samples) {
  const changes = [
    ['PATCH', 'Saved.', (url: string) => url],
    ['DELETE', 'Deleted.', () => path],
  ] as const
  for (const [method, message, toTarget] of changes) {
    test(`after a ${method} with a form of ${path}, the next page has the message "${message}" once`, async () => {
      const { app, url } = await openRecord(shared(), path, fields)
      const form = asForm({ _method: method, name: 'New' })
      const response = await app.inject({ method: 'POST', url, ...form })
      assert.equal(response.statusCode, 303)
      const [, ...attributes] = String(response.headers['set-cookie']).split('; ')
      assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Max-Age=30', 'Path=/', 'SameSite=Lax'])

      assert.equal(response.headers.location, toTarget(url))
      const headers = { ...page, cookie: cookieAfter(response) }
      const shown = await app.inject({ url: toTarget(url), headers })
      assert.ok(shown.body.includes(`<p class="notice" role="status">${message}</p>`))
      assert.match(String(shown.headers['set-cookie']), /^flash=; Max-Age=0; Path=\//)
      assert.equal(shown.headers['cache-control'], 'no-store')
      assert.equal(shown.headers.etag, undefined)
      assert.equal(shown.headers['last-modified'], undefined)

      const after = await app.inject({ url: toTarget(url), headers: page })
      assert.ok(!after.body.includes('class="notice"'))
      assert.equal(after.headers['set-cookie'], undefined)
    })
  }

  test(`pages of ${path} have Vary: Cookie, a 304 too, and API clients get no message and no cookie`, async (t) => {
    const { app, _id } = await openRecord(shared(), path, fields)
    for (const url of [path, `${path}/${_id}`, `${path}?page=1`]) {
      await t.test(url, async () => {
        const shown = await app.inject({ url, headers: page })
        assert.match(String(shown.headers.vary), /\bCookie\b/)
        const { etag } = shown.headers
        if (etag !== undefined) {
          const kept = await app.inject({ url, headers: { ...page, 'if-none-match': etag } })
          assert.equal(kept.statusCode, 304)
          assert.equal(kept.headers.vary, shown.headers.vary)
        }
        for (const accept of ['application/json', 'text/plain']) {
          const headers = { accept, cookie: 'flash=saved' }
          const other = await app.inject({ url, headers })
          assert.ok(!other.body.includes('Saved.'))
          assert.equal(other.headers['set-cookie'], undefined)
        }
      })
    }
  })

  test(`a message is not lost with a 304 of ${path}`, async (t) => {
    const { app, _id } = await openRecord(shared(), path, fields)
    for (const url of [`${path}/${_id}`, `${path}?page=1`]) {
      await t.test(url, async () => {
        const { etag = '' } = (await app.inject({ url, headers: page })).headers
        const headers = { ...page, 'if-none-match': etag, cookie: 'flash=saved' }
        const response = await app.inject({ url, headers })
        assert.equal(response.statusCode, 200)
        assert.match(response.body, /Saved\./)
      })
    }
  })

  test(`only a client that sends a form to ${path} and accepts a page gets a cookie`, async () => {
    const { app, url } = await openRecord(shared(), path, fields)
    const form = asForm({ ...fields, name: 'New' })
    const responses = [
      await app.inject({ method: 'POST', url: path, ...form }),
      await app.inject({
        method: 'PATCH',
        url,
        ...form,
        headers: { ...form.headers, accept: '*/*' },
      }),
      await app.inject({ method: 'PATCH', url, headers: page, payload: { name: 'New' } }),
      await app.inject({ method: 'PATCH', url, ...asForm({ name: '' }) }),
      await app.inject({ method: 'DELETE', url, headers: page }),
    ]
    const statuses = responses.map(({ statusCode }) => statusCode)
    assert.deepEqual(statuses, [201, 200, 303, 422, 303])
    for (const { headers } of responses) assert.equal(headers['set-cookie'], undefined)
  })
}

test('a forged cookie adds no text to a page', async (t) => {
  const app = shared()
  const values = ['<script>', 'Your%20account%20is%20closed', '__proto__', 'toString', '', 'Saved.']
  for (const value of values) {
    await t.test(value, async () => {
      const headers = { ...page, cookie: `flash=${value}` }
      const { body, statusCode } = await app.inject({ url: '/people', headers })
      assert.equal(statusCode, 200)
      assert.ok(!body.includes('class="notice"'))
    })
  }
})
