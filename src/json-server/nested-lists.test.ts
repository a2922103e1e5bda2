import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { browserAccept } from '../../test/support/resources.ts'

const data = {
  posts: [{ id: 1 }, { id: 2 }],
  'blog notes': [
    { id: 'a', postId: '1' },
    { id: 'b', postId: 2 },
  ],
  edit: [{ id: 'c', postId: 1 }],
}

test('in 0.17 a nested list has the JSON of json-server, also if a URL encodes its name', async (t) => {
  const app = await dataApp(t, data, { settings: { JSON_SERVER: '0.17' } })
  const headers = { accept: 'image/png' }
  const listed = await app.inject({ url: '/posts/1/blog%20notes', headers })
  assert.deepEqual(listed.json(), [{ id: 'a', postId: '1' }])
  const payload = { text: 'x' }
  const created = await app.inject({ method: 'POST', url: '/posts/2/blog%20notes', payload })
  const { id, ...others } = created.json<Record<string, unknown>>()
  assert.deepEqual([typeof id, others], ['string', { text: 'x', postId: '2' }])
})

test('in 0.17 a list with the name edit leaves the form of a record where it is', async (t) => {
  const app = await dataApp(t, data, { settings: { JSON_SERVER: '0.17' } })
  for (const url of ['/posts/1/edit', '/blog%20notes/a/edit']) {
    const { statusCode, body } = await app.inject({ url, headers: { accept: browserAccept } })
    assert.equal(statusCode, 200)
    assert.match(body, /<form/)
    assert.equal((await app.inject(url)).headers['content-type'], 'text/html; charset=utf-8')
  }
})
