import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../test/test-app.ts'

const requests: readonly [url: string, headers: Record<string, string>, isRecorded: boolean][] = [
  ['/users', { accept: 'text/html' }, true],
  ['/users', { accept: 'application/json', referer: 'http://localhost/' }, true],
  ['/users', { accept: 'application/json', 'sec-fetch-site': 'same-origin' }, true],
  ['/nowhere', { accept: 'text/html' }, true],
  ['/users', { accept: '*/*' }, false],
  ['/users', { accept: 'application/json' }, false],
  ['/users', {}, false],
  ['/problems', { accept: 'text/html' }, false],
  ['/inspector/other', { accept: 'text/html' }, false],
]

for (const [url, headers, isRecorded] of requests) {
  const outcome = isRecorded ? 'has the id of its recorded exchange' : 'has no exchange id'
  test(`the response to ${url} with ${JSON.stringify(headers)} ${outcome}`, async (t) => {
    const app = await testApp(t)
    const timing = (await app.inject({ url, headers })).headers['server-timing']
    assert.equal(timing !== undefined, isRecorded)
    if (!isRecorded) return
    const [, id = ''] = /^exchange;desc="(.*)"$/.exec(String(timing)) ?? []
    const accept = 'application/json'
    const exchange = await app.inject({ url: `/inspector/${id}`, headers: { accept } })
    assert.equal(exchange.statusCode, 200)
    assert.equal(exchange.json<{ target: string }>().target, url)
  })
}
