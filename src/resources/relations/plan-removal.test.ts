import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openBlog, openFilledBlog } from '../../../test/support/blog.ts'
import { dataApp } from '../../../test/support/data-app.ts'

test('a parent with children of the rule restrict is not deleted: 409 names them', async (t) => {
  const { app, read } = await openFilledBlog(t)
  const response = await app.inject({ method: 'DELETE', url: '/authors/1' })
  assert.equal(response.statusCode, 409)
  const { detail, references } = response.json<{ detail: string; references: unknown }>()
  assert.equal(
    detail,
    'The author cannot be deleted: 3 posts reference it in authorId. Delete or change these posts first.',
  )
  assert.deepEqual(references, [
    { resource: 'posts', field: 'authorId', count: 3, url: '/posts?authorId=1' },
  ])
  assert.equal(((await read('/authors')) as unknown[]).length, 2)
  const accept = 'text/html'
  const page = await app.inject({ method: 'DELETE', url: '/authors/1', headers: { accept } })
  assert.equal(page.statusCode, 409)
  assert.match(page.body, /3 posts reference it/)
  assert.match(page.body, /<a href="\/posts\?authorId=1">Show the 3 posts<\/a>/)
})

test('children of the rule set null have null in place of the reference', async (t) => {
  const { app, read } = await openFilledBlog(t)
  const before = await app.inject('/posts/1')
  assert.equal((await app.inject({ method: 'DELETE', url: '/authors/2' })).statusCode, 204)
  assert.deepEqual(await read('/posts/1'), { id: 1, title: 'One', authorId: 1, editor: null })
  assert.deepEqual(await read('/comments/1'), { id: 1, body: 'Yes', postId: 1, authorId: null })
  assert.notEqual((await app.inject('/posts/1')).headers.etag, before.headers.etag)
})

test('children of the rule cascade are deleted, and no others', async (t) => {
  const { app, read } = await openFilledBlog(t)
  assert.equal((await app.inject({ method: 'DELETE', url: '/posts/1' })).statusCode, 204)
  assert.deepEqual(await read('/comments'), [])
  assert.deepEqual(await read('/postTags'), [{ id: 3, postId: 2, tagId: 2 }])
  assert.deepEqual(await read('/tags'), [
    { id: 1, name: 'news' },
    { id: 2, name: 'code' },
  ])
})

test('a cascade deletes all levels, also in a cycle', async (t) => {
  const { app, add, read } = await openBlog(t)
  await add('categories', { name: 'a' }, { name: 'b', parentId: 1 }, { name: 'c', parentId: 2 })
  await add('categories', { name: 'd', parentId: 3 }, { name: 'other' })
  const payload = { parentId: 4 }
  await app.inject({ method: 'PATCH', url: '/categories/1', payload })
  assert.equal((await app.inject({ method: 'DELETE', url: '/categories/2' })).statusCode, 204)
  assert.deepEqual(await read('/categories'), [{ id: 5, name: 'other' }])
})

test('a deletion of more than 1,000 records is rejected, and deletes nothing', async (t) => {
  const { app, add, read } = await openBlog(t)
  await add('categories', { name: 'a' })
  const create = () =>
    app.inject({ method: 'POST', url: '/categories', payload: { name: 'x', parentId: 1 } })
  for (let count = 0; count < 1000; count += 50)
    await Promise.all(Array.from({ length: 50 }, create))
  const remove = () => app.inject({ method: 'DELETE', url: '/categories/1' })
  const { statusCode, body } = await remove()
  assert.deepEqual([statusCode, /More than 1,000 records/.test(body)], [409, true])
  await app.inject({ method: 'DELETE', url: '/categories/7' })
  assert.equal(((await read('/categories')) as unknown[]).length, 1000)
  assert.equal((await remove()).statusCode, 204)
  assert.deepEqual(await read('/categories'), [])
})

test('If-Match of an older version is checked before anything is deleted', async (t) => {
  const { app, read } = await openFilledBlog(t)
  const headers = { 'if-match': '"1-x-json"' }
  assert.equal((await app.inject({ method: 'DELETE', url: '/posts/1', headers })).statusCode, 412)
  assert.equal(((await read('/comments')) as unknown[]).length, 2)
})

for (let turns = 0; turns < 10; turns += 1) {
  test(`a child that is created ${String(turns)} turns before a deletion is deleted, or gets 422`, async (t) => {
    const { app, add, read } = await openBlog(t)
    await add('categories', { name: 'a' })
    const remove = async () => {
      for (let turn = 0; turn < turns; turn += 1) await setImmediate()
      return app.inject({ method: 'DELETE', url: '/categories/1' })
    }
    const payload = { name: 'b', parentId: 1 }
    const [created, removed] = await Promise.all([
      app.inject({ method: 'PUT', url: '/categories/b', payload }),
      remove(),
    ])
    assert.ok([201, 422].includes(created.statusCode))
    assert.equal(removed.statusCode, 204)
    assert.deepEqual(await read('/categories'), [])
  })
}

test('a 409 names all references that forbid a deletion, up to 10', async (t) => {
  const names = Array.from({ length: 12 }, (_, index) => `field${String(index)}`)
  const references = names.map((name) => [name, { 'x-references': 'authors' }])
  const schema = { posts: { properties: Object.fromEntries(references) as unknown } }
  const toPost = (fields: readonly string[], id: number) => ({
    id,
    ...Object.fromEntries(fields.map((name) => [name, 1])),
  })
  for (const [used, count] of [
    [2, 2],
    [12, 10],
  ] as const) {
    const posts = [toPost(names.slice(0, used), 1)]
    const app = await dataApp(t, { authors: [{ id: 1 }], posts }, { schema })
    const response = await app.inject({ method: 'DELETE', url: '/authors/1' })
    const { detail, references: found } = response.json<{ detail: string; references: unknown[] }>()
    assert.deepEqual([response.statusCode, found.length], [409, count])
    assert.match(detail, /^The author cannot be deleted: 1 post references it in field0, 1 post/)
    assert.match(detail, /Delete or change these records first\.$/)
  }
})
