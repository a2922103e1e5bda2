import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBlog, openFilledBlog } from '../../../test/support/blog.ts'
import { asForm, temporaryDatabase } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'

const merge = { 'content-type': 'application/merge-patch+json' }

/** For writes that fail. */
const blog = useApp({}, async (t) => (await openFilledBlog(t)).app)

const rejected = [
  ['POST', '/posts', { title: 'x', authorId: 9 }, 'authorId must be the id of an existing author.'],
  [
    'POST',
    '/posts',
    { title: 'x', authorId: '__proto__' },
    'authorId must be the id of an existing author.',
  ],
  [
    'POST',
    '/posts',
    { title: 'x', authorId: 1, editor: 9 },
    'editor must be the id of an existing author.',
  ],
  [
    'PUT',
    '/posts/1',
    { title: 'x', authorId: 9 },
    'authorId must be the id of an existing author.',
  ],
  [
    'PUT',
    '/posts/77',
    { title: 'x', authorId: 9 },
    'authorId must be the id of an existing author.',
  ],
  ['PATCH', '/posts/1', { authorId: 9 }, 'authorId must be the id of an existing author.'],
  ['POST', '/authors', { name: 'A', email: 'ann@x.org' }, 'email is that of another author.'],
  ['PATCH', '/authors/2', { email: 'ann@x.org' }, 'email is that of another author.'],
  ['PUT', '/authors/2', { email: 'ann@x.org' }, 'email is that of another author.'],
  ['PUT', '/authors/9', { email: 'ann@x.org' }, 'email is that of another author.'],
] as const

for (const [method, url, payload, detail] of rejected) {
  test(`${method} ${url} ${JSON.stringify(payload)} gets 422`, async () => {
    const readAll = async () => [await blog().inject('/posts'), await blog().inject('/authors')]
    const before = (await readAll()).map(({ body }) => body)
    const response = await blog().inject({ method, url, payload })
    assert.equal(response.statusCode, 422)
    const problem = response.json<{ detail: string; errors: unknown }>()
    assert.equal(problem.detail, detail)
    const after = (await readAll()).map(({ body }) => body)
    assert.deepEqual(after, before)
  })
}

test('a reference can be a number or text, absent or null, and of the record itself', async (t) => {
  const { app, add, read } = await openFilledBlog(t)
  await add('posts', { title: 'x', authorId: '1' }, { title: 'y', authorId: 1, editor: null })
  await add('comments', { body: 'x', postId: 1, authorId: null })
  const own = { method: 'PUT', url: '/categories/5', payload: { name: 'x', parentId: 5 } } as const
  assert.equal((await app.inject(own)).statusCode, 201)
  assert.deepEqual(await read('/categories/5'), { id: 5, name: 'x', parentId: 5 })
})

test('a unique value can be kept, given up and taken again', async (t) => {
  const { app } = await openFilledBlog(t)
  const patch = async (id: number, email: string | null) => {
    const payload = JSON.stringify({ name: 'x', email })
    const request = {
      method: 'PATCH',
      url: `/authors/${String(id)}`,
      headers: merge,
      payload,
    } as const
    return (await app.inject(request)).statusCode
  }
  assert.equal(await patch(1, 'ann@x.org'), 200)
  assert.equal(await patch(1, null), 200)
  assert.equal(await patch(2, 'ann@x.org'), 200)
  assert.equal(await patch(1, 'ann@x.org'), 422)
  assert.equal(await patch(1, 'Ann@x.org'), 200)
  assert.equal((await app.inject({ method: 'DELETE', url: '/authors/1' })).statusCode, 409)
})

test('of many creates of a unique value, by two processes, one succeeds', async (t) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  const blogs = [await openBlog(t, settings), await openBlog(t, settings)]
  const creates = Array.from({ length: 20 }, (_, index) => {
    const payload = { name: String(index), email: 'same@x.org' }
    const { app } = blogs[index % 2] ?? assert.fail()
    return app.inject({ method: 'POST', url: '/authors', payload })
  })
  const statuses = (await Promise.all(creates)).map((response) => response.statusCode)
  assert.deepEqual(statuses.toSorted(), [201, ...Array.from({ length: 19 }, () => 422)])
})

test('no post is created for an author that another process deletes', async (t) => {
  const settings = { DATABASE_URL: await temporaryDatabase(t) }
  const [one, other] = [await openBlog(t, settings), await openBlog(t, settings)]
  for (let round = 1; round <= 10; round += 1) {
    const id = String(round)
    await one.app.inject({ method: 'PUT', url: `/authors/${id}`, payload: { name: 'x' } })
    const create = (index: number) => {
      const url = `/posts/${id}${String(index)}`
      return other.app.inject({ method: 'PUT', url, payload: { title: 'x', authorId: round } })
    }
    const [deleted] = await Promise.all([
      one.app.inject({ method: 'DELETE', url: `/authors/${id}` }),
      ...[1, 2, 3, 4].map(create),
    ])
    const hasAuthor = (await one.app.inject(`/authors/${id}`)).statusCode === 200
    assert.equal(deleted.statusCode, hasAuthor ? 409 : 204)
    const posts = (await one.read(`/posts?authorId=${id}`)) as unknown[]
    assert.ok(hasAuthor || posts.length === 0)
  }
})

test('a form is shown again with the problem of a reference', async () => {
  const form = asForm({ title: 'x', authorId: '9' })
  const { statusCode, body } = await blog().inject({ method: 'POST', url: '/posts', ...form })
  assert.equal(statusCode, 422)
  assert.match(body, /authorId must be the id of an existing author/)
})
