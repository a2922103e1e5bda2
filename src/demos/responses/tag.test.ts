import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/support/test-app.ts'

const description = encodeURIComponent(JSON.stringify({ status: 418 }))

for (const [url, status] of [
  ['/responses/custom?status=418&tag=my-test', 418],
  [`/responses/custom?tag=my-test&description=${description}`, 418],
  ['/responses/sequence/k?tag=my-test&steps=404', 404],
  ['/responses/sequence/k?tag=my-test', 503],
  ['/responses/rate/k?limit=1&tag=my-test', 200],
  ['/responses/cache/k?etag=v1&tag=my-test', 200],
  ['/responses/redirect/1?tag=my-test', 302],
  ['/responses/echo?tag=my-test', 200],
  ['/responses/sequence/k/state?tag=my-test', 200],
] as const) {
  test(`the tag of ${url} changes nothing, and finds the exchange`, async (t) => {
    const app = await testApp(t)
    assert.equal((await app.inject(url)).statusCode, status)
    const headers = { accept: 'application/json' }
    const list = await app.inject({ url: '/inspector?path=tag=my-test', headers })
    const { exchanges } = list.json<{ exchanges: { target: string }[] }>()
    assert.deepEqual(
      exchanges.map(({ target }) => target),
      [url],
    )
  })
}

test('with a tag alone, the body describes the response', async (t) => {
  const app = await testApp(t)
  const payload = { status: 418 }
  const response = await app.inject({ method: 'POST', url: '/responses/custom?tag=1', payload })
  assert.equal(response.statusCode, 418)
})
