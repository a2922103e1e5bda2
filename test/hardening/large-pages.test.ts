import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../support/data-app.ts'

test('a page of records that are larger than 16 MiB together gets 400, and a shorter one does not', async (t) => {
  const posts = Array.from({ length: 103 }, (_, id) => ({ id: id + 1, text: 'x'.repeat(340_000) }))
  const app = await dataApp(t, { posts })
  for (const [accept, size] of [
    ['application/json', '50'],
    ['text/csv', '50'],
    ['application/json', '60'],
    ['text/html', '100'],
  ] as const) {
    const url = `/posts?per_page=${size}`
    const { statusCode, body } = await app.inject({ url, headers: { accept } })
    assert.equal(statusCode, 400, `${accept} ${size}`)
    assert.match(body, /larger than 16 MiB/)
  }
  const { statusCode, headers } = await app.inject('/posts?per_page=50&page=3')
  assert.deepEqual([statusCode, headers['x-total-count']], [200, '103'])
})
