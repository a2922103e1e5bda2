import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolve } from '../src/http/openapi/component.ts'
import { dataApp } from './support/data-app.ts'
import { findUndocumented } from './support/openapi/documented.ts'
import { loadDocument } from './support/openapi/load-document.ts'
import { browserAccept } from './support/resources.ts'

const data = {
  posts: [{ id: 1, title: 'one' }],
  comments: [{ id: 1, postId: 1 }],
  profile: { name: 'Ada' },
}

const payload = { title: 'x' }
const requests = [
  { method: 'GET', url: '/posts' },
  { method: 'GET', url: '/posts?_page=1&_per_page=1&_limit=1' },
  { method: 'GET', url: '/posts', headers: { accept: browserAccept } },
  { method: 'GET', url: '/posts/1' },
  { method: 'GET', url: '/posts/9' },
  { method: 'GET', url: '/posts/1', headers: { 'if-none-match': '*' } },
  { method: 'GET', url: '/posts/1/comments' },
  { method: 'GET', url: '/profile' },
  { method: 'GET', url: '/db' },
  { method: 'POST', url: '/posts', payload },
  { method: 'POST', url: '/posts', payload: [1] },
  { method: 'PUT', url: '/posts/1', payload },
  { method: 'PATCH', url: '/posts/1', payload },
  { method: 'PATCH', url: '/posts/1', payload, headers: { 'if-match': '"old"' } },
  { method: 'DELETE', url: '/posts/1' },
  { method: 'PUT', url: '/profile', payload },
] as const

for (const version of ['0.17', '1']) {
  test(`the responses of the dialect ${version} are as documented`, async (t) => {
    const app = await dataApp(t, data, { settings: { JSON_SERVER: version } })
    const document = await loadDocument(app)
    for (const request of requests) {
      await t.test(JSON.stringify(request), async () => {
        const response = await app.inject(request)
        assert.deepEqual(findUndocumented(document, request, response), [])
      })
    }
    const { get, post } = document.paths['/posts'] ?? {}
    assert.match(String(get?.description), new RegExp(`json-server ${version}`))
    const body = { schema: { type: 'object' }, example: { title: 'one' } }
    assert.deepEqual(post?.requestBody, { content: { 'application/json': body } })
    assert.equal((await app.inject('/docs/getPosts')).statusCode, 200)
  })
}

for (const version of ['0.17', '1']) {
  test(`the document of the dialect ${version} has all path parameters, and no type of a field`, async (t) => {
    const app = await dataApp(t, data, { settings: { JSON_SERVER: version } })
    const { paths } = await loadDocument(app)
    for (const [path, operations] of Object.entries(paths))
      for (const { parameters = [] } of Object.values(operations)) {
        const names = parameters.map((one) => resolve(one)).filter((one) => one.in === 'path')
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        assert.deepEqual(
          names.map(({ name }) => name),
          inPath,
          path,
        )
      }
    // Any value is stored, and `/posts.json` has it.
    const created = await app.inject({ method: 'POST', url: '/posts', payload: { title: 7 } })
    assert.equal(created.statusCode, 201)
    const response = await app.inject('/posts.json')
    assert.deepEqual(
      findUndocumented(await loadDocument(app), { method: 'GET', url: '/posts.json' }, response),
      [],
    )
  })
}
