import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/test-app.ts'
import { findInvalid } from '../../test/valid-html.ts'

const form = 'application/x-www-form-urlencoded'
const hostile = '<script>alert(1)</script>'
const encoded = encodeURIComponent(hostile)

const requests = [
  ['GET', `/topic?a=${encoded}`, undefined, '', 'text/plain'],
  ['POST', '/toc/aaa', form, `a=${encoded}`, 'text/plain'],
  ['POST', '/toc/aaa', form, '', 'text/plain'],
  ['POST', '/users/post', form, `a=${encoded}`, 'application/json'],
  ['POST', '/users/post/raw', 'text/plain', hostile, 'application/json'],
  ['PUT', `/user/${encoded}`, undefined, '', 'text/plain'],
] as const

for (const [method, url, type, payload, mediaType] of requests) {
  test(`${method} ${url} ${payload} is a page for browsers only`, async (t) => {
    const app = await testApp(t)
    const send = (accept: string) =>
      app.inject({
        method,
        url,
        headers: { accept, ...(type && { 'content-type': type }) },
        ...(payload && { payload }),
      })
    const page = await send('text/html,application/xhtml+xml,*/*;q=0.8')
    assert.equal(page.statusCode, 200)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(String(page.headers.vary), /\bAccept\b/)
    assert.equal(page.headers['x-content-type-options'], 'nosniff')
    assert.match(String(page.headers['content-security-policy']), /^default-src 'self';/)
    assert.match(page.body, /<a class="button" href="\/demos\/\w+">Back to /)
    assert.deepEqual(await findInvalid(page.body, url), [])
    assert.ok(!page.body.includes(hostile))
    for (const accept of ['*/*', `${mediaType}, text/html;q=0.9`, 'image/png']) {
      const response = await send(accept)
      assert.equal(response.headers['content-type'], `${mediaType}; charset=utf-8`, accept)
    }
  })
}
