import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/test-app.ts'
import { findInvalid } from '../../test/valid-html.ts'

const form = 'application/x-www-form-urlencoded'
const hostile = '<script>alert(1)</script>'
const encoded = encodeURIComponent(hostile)

const requests = [
  ['GET', '/status/200', undefined, '', 'text/plain'],
  ['POST', '/toc/aaa', form, `a=${encoded}`, 'text/plain'],
  ['POST', '/toc/aaa', form, '', 'text/plain'],
  ['POST', '/users/post', form, `a=${encoded}`, 'application/json'],
  ['POST', '/users/post/raw', 'text/plain', hostile, 'application/json'],
  ['PUT', `/user/${encoded}`, undefined, '', 'text/plain'],
] as const

const deep = `${'['.repeat(60)}${'1,'.repeat(100_000)}1${']'.repeat(60)}`

for (const [url, type, payload] of [
  ['/users/post', 'application/json', deep],
  ['/users/post/raw', 'text/plain', '&'.repeat(100_000)],
  ['/toc/aaa', form, `a=${'<'.repeat(100_000)}`],
] as const) {
  test(`a long body of ${url} is sent to browsers without a page around it`, async (t) => {
    const app = await testApp(t)
    const headers = { accept: 'text/html', 'content-type': type }
    const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload })
    assert.equal(statusCode, 200)
    assert.ok(body.length <= payload.length + 2, String(body.length))
  })
}

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
