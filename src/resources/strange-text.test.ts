import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord } from '../../test/support/resources.ts'
import { testApp } from '../../test/support/test-app.ts'

const headers = { accept: 'application/json' }

test('a search for text that cannot be stored finds nothing', async (t) => {
  const app = await testApp(t)
  await createRecord(app, '/places', { name: 'Pier \u0001' })
  const requests = {
    'name=%00': 0,
    'name:ne=%00': 1,
    'name:gt=%00': 0,
    'name:lt=%00': 0,
    'name:contains=%00': 0,
    'name:startsWith=%00': 0,
    'name:endsWith=%01': 1,
    'name:endsWith=%01%02': 0,
    'note=%00': 0,
    'note:ne=%00': 1,
    '_id=%00': 0,
    '_id:gt=%00': 0,
    '_id:contains=a%00b': 0,
    'createdAt:contains=%00': 0,
    'q=%00': 0,
    'q=PIER%20%01': 1,
  }
  for (const [query, count] of Object.entries(requests)) {
    await t.test(query, async () => {
      const response = await app.inject({ url: `/places?${query}`, headers })
      assert.equal(response.statusCode, 200, `${query}: ${response.body}`)
      assert.equal(response.json<unknown[]>().length, count)
    })
  }
})

test('an impossible id is not found', async (t) => {
  const app = await testApp(t)
  for (const id of ['%00', 'a%00b', '%01%02%02', '%EF%BF%BF', 'a'.repeat(5000)]) {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
      await t.test(`${id} ${method}`, async () => {
        const payload = method === 'GET' || method === 'DELETE' ? {} : { payload: { name: 'x' } }
        const response = await app.inject({ method, url: `/places/${id}`, headers, ...payload })
        assert.equal(response.statusCode, 404, `${method} ${id}: ${response.body}`)
      })
    }
  }
})
