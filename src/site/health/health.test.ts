import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp({}, catalogueApp)

test('health is a JSON object with the status ok', async (t) => {
  const app = sharedApp()
  for (const url of ['/health', '/health/']) {
    await t.test(url, async () => {
      const response = await app.inject(url)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      assert.deepEqual(response.json(), { status: 'ok' })
    })
  }
})

test('an unsafe method gets 405 with Allow, as problem details', async (t) => {
  const app = sharedApp()
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    await t.test(method, async () => {
      const response = await app.inject({ method, url: '/health' })
      assert.equal(response.statusCode, 405)
      assert.equal(response.headers.allow, 'GET, HEAD, OPTIONS')
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      assert.equal(response.json<{ status: number }>().status, 405)
    })
  }
})
