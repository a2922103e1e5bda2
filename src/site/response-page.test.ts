import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApp } from '../../test/support/test-app.ts'
import { findInvalid } from '../../test/support/valid-html.ts'
import type { Demo } from './demo.ts'
import { sendForReader } from './send-page.ts'

const hostile = '<script>alert(1)</script>'

const shown: Demo = {
  name: 'shown',
  title: 'Shown',
  summary: 'Returns the body.',
  routes: (_, app) => {
    for (const type of ['text', 'json']) {
      app.all(`/shown/${type}`, (request, reply) => {
        const content = request.body ?? ''
        const body = typeof content === 'string' ? content : JSON.stringify(content)
        return sendForReader(request, reply, { demo: shown, body, isJson: type === 'json' })
      })
    }
    return []
  },
}

const sharedApp = useApp({ demos: [shown] })

const requests = [
  ['PUT', '/shown/text', hostile, 'text/plain'],
  ['POST', '/shown/text', hostile, 'text/plain'],
  ['POST', '/shown/text', '', 'text/plain'],
  ['POST', '/shown/json', JSON.stringify({ a: hostile }), 'application/json'],
] as const

const deep = `${'['.repeat(60)}${'1,'.repeat(100_000)}1${']'.repeat(60)}`

for (const [url, type, payload] of [
  ['/shown/json', 'application/json', deep],
  ['/shown/text', 'text/plain', '&'.repeat(100_000)],
] as const) {
  test(`a long body of ${url} is sent to browsers without a page around it`, async () => {
    const app = sharedApp()
    const headers = { accept: 'text/html', 'content-type': type }
    const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload })
    assert.equal(statusCode, 200)
    assert.ok(body.length <= payload.length + 2, String(body.length))
  })
}

for (const [method, url, payload, mediaType] of requests) {
  test(`${method} ${url} ${payload} is a page for browsers only`, async () => {
    const app = sharedApp()
    const send = (accept: string) =>
      app.inject({
        method,
        url,
        headers: { accept, 'content-type': 'text/plain' },
        payload,
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
