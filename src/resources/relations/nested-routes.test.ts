import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFilledBlog } from '../../../test/support/blog.ts'

interface Parameter {
  $ref?: string
  name?: string
  in?: string
  example?: unknown
}

interface OpenApi {
  paths: Record<string, { get: { parameters: Parameter[] } }>
  components: { parameters: Record<string, Parameter> }
}

test('the children of a record have all parameters of a list', async (t) => {
  const { app, add, read } = await openFilledBlog(t)
  await add('comments', { body: 'Other', postId: 2 })
  const ids = async (query: string) =>
    ((await read(`/posts/1/comments${query}`)) as { id: number }[]).map(({ id }) => id)
  assert.deepEqual(await ids(''), [1, 2])
  assert.deepEqual(await ids('?sort=-id'), [2, 1])
  assert.deepEqual(await ids('?body:contains=y'), [1])
  assert.deepEqual(await ids('?q=o'), [2])
  assert.deepEqual(await ids('?embed=author'), [1, 2])
  const page = await app.inject('/posts/1/comments?per_page=1')
  assert.equal(page.headers['x-total-count'], '2')
  const [, next = ''] = /<([^>]*)>; rel="next"/.exec(String(page.headers.link)) ?? []
  assert.match(next, /^\/posts\/1\/comments\?.*after=/)
  assert.deepEqual(((await read(next)) as { id: number }[])[0]?.id, 2)
  assert.deepEqual(await read('/posts/3/comments'), [])
})

test('each documented parameter of a list of children is accepted with its example', async (t) => {
  const { app } = await openFilledBlog(t)
  const { paths, components } = (await app.inject('/openapi.json')).json<OpenApi>()
  const parameters = paths['/posts/{id}/comments']?.get.parameters.map(
    (each) => components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each,
  )
  const inQuery = parameters?.filter((each) => each.in === 'query') ?? []
  const accepted: string[] = []
  for (const { name = '', example } of inQuery.filter((each) => each.example !== undefined)) {
    const query = new URLSearchParams({ [name]: String(example) }).toString()
    const { statusCode, body } = await app.inject(`/posts/1/comments?${query}`)
    assert.equal(statusCode, 200, body)
    accepted.push(name)
  }
  assert.ok(['page', 'sort', 'body', 'embed'].every((name) => accepted.includes(name)))
  assert.deepEqual(
    inQuery.filter(({ name = '' }) => /^postId/.test(name)),
    [],
  )
})

test('a child is created with the id of the path', async (t) => {
  const { app, read } = await openFilledBlog(t)
  const request = {
    method: 'POST',
    url: '/posts/2/comments',
    payload: { body: 'x', postId: 1 },
  } as const
  const response = await app.inject(request)
  assert.equal(response.statusCode, 201)
  assert.equal(response.headers.location, '/comments/3')
  assert.deepEqual(await read('/comments/3'), { id: 3, body: 'x', postId: 2 })
  const invalid = await app.inject({ ...request, payload: { body: 7 } })
  assert.equal(invalid.statusCode, 422)
})

test('children of a missing record get 404, and other paths and methods 404 and 405', async (t) => {
  const { app } = await openFilledBlog(t)
  for (const method of ['GET', 'POST'] as const) {
    const payload = { body: 'x' }
    const request = { method, ...(method === 'POST' && { payload }) }
    for (const url of ['/posts/9/comments', '/posts/9/nothing', '/posts/1/authors'])
      assert.equal((await app.inject({ ...request, url })).statusCode, 404)
  }
  const response = await app.inject({ method: 'DELETE', url: '/posts/1/comments' })
  assert.equal(response.statusCode, 405)
  assert.match(String(response.headers.allow), /^GET, HEAD, QUERY, POST/)
})

test('a filter by the field of the path gets 400', async (t) => {
  const { app } = await openFilledBlog(t)
  assert.equal((await app.inject('/posts/1/comments?postId=2')).statusCode, 400)
})

test('the page of the children is that of the filtered list', async (t) => {
  const { app } = await openFilledBlog(t)
  const { body } = await app.inject({ url: '/posts/1/comments', headers: { accept: 'text/html' } })
  assert.match(body, /action="\/comments"/)
  assert.match(body, /name="postId" value="1"/)
})
