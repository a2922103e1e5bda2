import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord } from '../../../test/support/resources.ts'
import { testApp } from '../../../test/support/test-app.ts'

const cookie = 'flash=saved'

for (const query of ['', '?per_page=5', '/:id']) {
  test(`/places${query} shows the message once, in no response that may be stored`, async (t) => {
    const app = await testApp(t, { settings: { CORS_ORIGINS: 'none' } })
    const { _id } = await createRecord(app, '/places', { name: 'Pier' })
    const url = `/places${query.replace(':id', _id)}`
    const plain = await app.inject(url)
    assert.doesNotMatch(plain.body, /role="status"/)
    const { etag } = plain.headers
    const headers = { cookie, ...(etag !== undefined && { 'if-none-match': etag }) }
    const output = await app.inject({ url, headers })
    assert.equal(output.statusCode, 200)
    assert.match(output.body, /<p class="notice" role="status">Saved\.<\/p>/)
    assert.equal(output.headers['cache-control'], 'no-store')
    assert.equal(output.headers.etag, undefined)
    assert.equal(output.headers['last-modified'], undefined)
    assert.match(String(output.headers['set-cookie']), /^flash=; Max-Age=0;/)
  })

  test(`negotiated responses of /places${query} have Vary: Cookie`, async (t) => {
    const app = await testApp(t, { settings: { CORS_ORIGINS: 'none' } })
    const { _id } = await createRecord(app, '/places', { name: 'Pier' })
    const url = `/places${query.replace(':id', _id)}`
    for (const accept of ['text/html', 'application/json', 'text/plain']) {
      const first = await app.inject({ url, headers: { accept } })
      assert.equal(first.headers.vary, 'Origin, Accept-Encoding, X-Sandbox, Cookie, Accept')
      if (accept !== 'text/html') {
        const same = await app.inject({ url, headers: { accept, cookie } })
        assert.equal(same.body, first.body)
        assert.equal(same.headers['set-cookie'], undefined)
      }
      const { etag } = first.headers
      if (etag === undefined) continue
      const again = await app.inject({ url, headers: { accept, 'if-none-match': etag } })
      assert.equal(again.statusCode, 304)
      assert.equal(again.headers.vary, 'Origin, Accept-Encoding, X-Sandbox, Cookie, Accept')
    }
    const named = await app.inject(url.replace(/(\?|$)/, '.json$1'))
    assert.equal(named.statusCode, 200)
    assert.equal(named.headers.vary, 'Origin, Accept-Encoding, X-Sandbox, Cookie')
  })
}
