import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/data-app.ts'

for (const [what, post, status] of [
  ['that has no rule about it', { properties: { body: { minLength: 1 } } }, 422],
  ['with its own required', { required: [], properties: { body: { minLength: 1 } } }, 201],
] as const) {
  test(`with a schema ${what}, a field that all records have gets ${String(status)} if it is absent`, async (t) => {
    const posts = ['a', 'b'].map((body, index) => ({ id: index + 1, body }))
    const app = await dataApp(t, { posts }, { schema: { posts: post } })
    const { statusCode } = await app.inject({ method: 'POST', url: '/posts', payload: {} })
    assert.equal(statusCode, status)
  })
}

test('a reference that a deletion clears is not required because all records have it', async (t) => {
  const data = { authors: [{ id: 1 }], posts: [1, 2].map((id) => ({ id, authorId: 1 })) }
  const reference = { resource: 'authors', onDelete: 'set null' }
  const schema = { posts: { properties: { authorId: { 'x-references': reference } } } }
  const app = await dataApp(t, data, { schema })
  assert.equal((await app.inject({ method: 'DELETE', url: '/authors/1' })).statusCode, 204)
  const patch = { method: 'PATCH', url: '/posts/1', payload: {} } as const
  assert.equal((await app.inject(patch)).statusCode, 200)
})
