import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { dataApp } from '../../test/support/data-app.ts'
import { failedStart } from '../../test/support/failed-start.ts'
import { browserAccept } from '../../test/support/resources.ts'
import { useApp, type OpeningTest } from '../../test/support/test-app.ts'

const data = {
  posts: [
    { id: 1, title: 'one' },
    { id: 2, title: `${'a'.repeat(60)}!` },
  ],
  comments: [
    { id: 1, postId: 1 },
    { id: 2, postId: 2 },
    { id: 3, postId: 99 },
    { id: 4, postId: null },
  ],
  replies: [{ id: 1, commentId: 1 }],
  accounts: [{ id: 'a', name: 'Ada', secret: 'brass' }],
}

async function openData(
  t: OpeningTest,
  version: '0.17' | '1',
  settings = {},
  contents: object = data,
) {
  const properties = { name: { type: 'string' }, secret: { type: 'string', writeOnly: true } }
  const schema = { accounts: { type: 'object', properties } }
  return dataApp(t, contents, { schema, settings: { JSON_SERVER: version, ...settings } })
}

/** For requests that store nothing. */
const unchanged = {
  '0.17': useApp({}, (t) => openData(t, '0.17')),
  1: useApp({}, (t) => openData(t, '1')),
}

async function readIds(app: FastifyInstance, url: string): Promise<unknown[]> {
  const records = (await app.inject(url)).json<{ id: unknown }[]>()
  return records.map(({ id }) => id)
}

const slow = `/posts?title_like=${encodeURIComponent('^(a+)+$')}`

test('a regular expression that takes too long gets 400, and other requests do not wait for it', async (t) => {
  const app = await openData(t, '0.17')
  const order: string[] = []
  const waiting = app
    .inject(slow)
    .then(({ statusCode }) => order.push(`slow ${String(statusCode)}`))
  const { statusCode } = await app.inject('/posts/1')
  order.push(`other ${String(statusCode)}`)
  await waiting
  assert.deepEqual(order, ['other 200', 'slow 400'])
  assert.deepEqual(await readIds(app, '/posts?title_like=^.ne$'), [1])
})

test('a condition in _where is at most as deep as JSON may be', async () => {
  const where = `{"id":{"in":${'['.repeat(100)}${']'.repeat(100)}}}`
  const { statusCode } = await unchanged[1]().inject(`/posts?_where=${encodeURI(where)}`)
  assert.equal(statusCode, 400)
})

const long = 'x'.repeat(251)
const where = (count: number) => ({ or: Array(count).fill({ title: { contains: 'x' } }) })
const unsearched: [version: '0.17' | '1', url: string][] = [
  ['0.17', `/posts?q=${long}`],
  ['0.17', `/posts?title_like=${long}`],
  ['0.17', `/posts?${'title_like=x&'.repeat(11)}`],
  ['1', `/posts?title:contains=${long}`],
  ['1', `/posts?_where=${JSON.stringify(where(11))}`],
]

for (const [version, url] of unsearched) {
  test(`texts beyond the limit get 400 in ${version}: ${url.slice(0, 60)}`, async () => {
    const { statusCode, body } = await unchanged[version]().inject(url)
    assert.equal(statusCode, 400)
    assert.match(body, /at most 10 values, of 250 characters together/)
  })
}

const searches: [version: string, url: string][] = [
  ['0.17', '/posts?q=none'],
  ['0.17', '/posts?text_like=none'],
  ['1', '/posts?text:contains=none'],
]

for (const [version, url] of searches) {
  test(`other requests are handled during ${url} in ${version}`, async (t) => {
    const posts = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(2000) }))
    const app = await dataApp(t, { posts }, { settings: { JSON_SERVER: version } })
    let [turns, isOver] = [0, false]
    const searched = app.inject(url).finally(() => {
      isOver = true
    })
    for (; !isOver; turns += 1) await setImmediate()
    assert.equal((await searched).body, '[]')
    assert.ok(turns >= 20, `${String(turns)} turns`)
  })
}

for (const accept of ['application/json', browserAccept]) {
  test(`in 0.17 a DELETE removes what refers to the record, and no other orphan: ${accept}`, async (t) => {
    const app = await openData(t, '0.17')
    await app.inject({ method: 'DELETE', url: '/posts/1', headers: { accept } })
    assert.deepEqual(await readIds(app, '/comments'), [2, 3, 4])
    assert.deepEqual(await readIds(app, '/replies'), [1])
  })

  test(`in 0.17 a DELETE keeps a record whose field has the name of the list: ${accept}`, async (t) => {
    const contents = { operadora: [{ id: 1 }], cliente: [{ id: 1, operadoraId: 1 }] }
    const app = await openData(t, '0.17', { DATA_SCHEMA: '' }, contents)
    await app.inject({ method: 'DELETE', url: '/operadora/1', headers: { accept } })
    assert.deepEqual(await readIds(app, '/cliente'), [1])
    assert.deepEqual(await readIds(app, '/operadora'), [])
  })
}

for (const [query, references] of [
  ['', [1, null]],
  ['?_dependent=comments', [1]],
] as const) {
  test(`in 1 DELETE${query} of a record spares numbers that refer to it`, async (t) => {
    const contents = {
      posts: [{ id: '1' }],
      comments: [
        { id: 'a', postId: 1 },
        { id: 'b', postId: '1' },
      ],
    }
    const app = await openData(t, '1', {}, contents)
    assert.equal((await app.inject({ method: 'DELETE', url: `/posts/1${query}` })).statusCode, 200)
    const comments = (await app.inject('/comments')).json<{ postId: unknown }[]>()
    assert.deepEqual(
      comments.map(({ postId }) => postId),
      references,
    )
  })
}

for (const [method, url] of [
  ['POST', '/posts'],
  ['PUT', '/profile'],
] as const) {
  for (const depth of [100, 200_000]) {
    test(`in 1 a text of JSON with ${String(depth)} levels gets 400: ${method} ${url}`, async (t) => {
      const app = await openData(t, '1', {}, { posts: [], profile: {} })
      const payload = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
      const headers = { 'content-type': 'text/plain' }
      const response = await app.inject({ method, url, headers, payload })
      assert.equal(response.statusCode, 400)
      assert.deepEqual(response.json(), {
        error: 'The JSON is nested deeper than 64 (MAX_JSON_DEPTH).',
      })
    })
  }
}

test('in 1 a nested POST is not checked by rules that only the records show', async (t) => {
  const products = [1, 2].map((id) => ({ id, name: 'Lamp', stock: 3, categoryId: 1, makerId: 1 }))
  const [categories, makers] = [[{ id: 1 }], [{ id: 1 }]]
  const app = await dataApp(t, { categories, makers, products }, { settings: { JSON_SERVER: '1' } })
  const request = { method: 'POST', url: '/categories/1/products' } as const
  const response = await app.inject({ ...request, payload: { name: 7, makerId: 'none' } })
  assert.equal(response.statusCode, 201)
  assert.deepEqual(response.json(), { id: 3, name: 7, makerId: 'none', categoryId: 1 })
})

test('in 1 _dependent removes what refers to the record, and no other', async (t) => {
  const texts = {
    posts: [{ id: 'a' }],
    comments: [
      { id: 'x', postId: 'a' },
      { id: 'y', postId: null },
    ],
  }
  const app = await openData(t, '1', {}, { ...texts, accounts: data.accounts })
  await app.inject({ method: 'DELETE', url: '/posts/a?_dependent=comments' })
  assert.deepEqual(await readIds(app, '/comments'), ['y'])
})

for (const version of ['0.17', '1'] as const) {
  test(`in ${version} the fields of a schema are checked, and those of other resources are not`, async (t) => {
    const app = await openData(t, version)
    const send = async (method: 'POST' | 'PUT' | 'PATCH', url: string, payload: object) =>
      (await app.inject({ method, url, payload })).statusCode
    assert.equal(await send('POST', '/accounts', { name: 7 }), 422)
    assert.equal(await send('POST', '/accounts', { name: 'Bob', secret: 'tin', extra: 1 }), 201)
    for (const method of ['PUT', 'PATCH'] as const) {
      assert.equal(await send(method, '/accounts/a', { name: 7 }), 422)
      assert.equal(await send(method, '/accounts/a', { name: 'Eve' }), 200)
    }
    assert.equal(await send('POST', '/posts', { title: 7 }), 201)
  })

  test(`in ${version} a sort by many fields gets 400, and a long path finds nothing`, async () => {
    const app = unchanged[version]()
    const terms = (count: number) => Array.from({ length: count }, () => 'title').join()
    assert.equal((await app.inject(`/posts?_sort=${terms(10)}`)).statusCode, 200)
    assert.equal((await app.inject(`/posts?_sort=${terms(11)}`)).statusCode, 400)
    for (const path of ['title.'.repeat(1000), 'a.'.repeat(3500)])
      assert.equal((await app.inject(`/posts?${path}x=1`)).statusCode, 200)
  })

  test(`in ${version} a DELETE changes at most 10,000 records`, async (t) => {
    const toChild = (_: unknown, index: number) => ({ id: `c${String(index)}`, postId: 'a' })
    const contents = {
      posts: [{ id: 'a' }],
      comments: Array.from({ length: 10_000 }, toChild),
      accounts: data.accounts,
    }
    const app = await openData(t, version, {}, contents)
    assert.equal((await app.inject({ method: 'DELETE', url: '/posts/a' })).statusCode, 409)
    assert.equal((await app.inject('/posts/a')).statusCode, 200)
    await app.inject({ method: 'DELETE', url: '/comments/c1' })
    assert.equal((await app.inject({ method: 'DELETE', url: '/posts/a' })).statusCode, 200)
  })
}

const rejected: [body: unknown, status: number][] = [
  [{ id: 1 }, 409],
  [{ id: 'new' }, 400],
  [{ id: '..' }, 400],
  [{ id: 'x'.repeat(201) }, 400],
  [{ id: { a: 1 } }, 400],
  [[{ title: 'x' }], 400],
  [{ title: '\0' }, 400],
]

for (const [body, status] of rejected) {
  test(`in 0.17 a POST of ${JSON.stringify(body).slice(0, 40)} gets ${String(status)}`, async () => {
    const app = unchanged['0.17']()
    const response = await app.inject({ method: 'POST', url: '/posts', payload: body as object })
    assert.equal(response.statusCode, status)
    assert.deepEqual(await readIds(app, '/posts'), [1, 2])
  })
}

test('a password is hashed, and in no response and no filter', async (t) => {
  const app = await openData(t, '0.17')
  const sent = { name: 'Eve', secret: 'glass' }
  const response = await app.inject({ method: 'POST', url: '/accounts', payload: sent })
  assert.equal(response.statusCode, 201)
  for (const url of [
    '/accounts',
    '/accounts/a',
    '/db',
    '/accounts?secret_like=.',
    '/accounts?_sort=secret',
  ]) {
    assert.doesNotMatch((await app.inject(url)).body, /secret|scrypt|glass|brass/)
  }
  assert.deepEqual(await readIds(app, '/accounts?secret_ne=x'), [])
})

test('a write with If-Match of an earlier version gets 412', async (t) => {
  const app = await openData(t, '0.17')
  const { headers } = await app.inject('/posts/1')
  const condition = { 'if-match': String(headers.etag) }
  const patch = {
    method: 'PATCH',
    url: '/posts/1',
    payload: { title: 'x' },
    headers: condition,
  } as const
  assert.equal((await app.inject(patch)).statusCode, 200)
  assert.equal((await app.inject(patch)).statusCode, 412)
})

test('a browser gets pages', async () => {
  const app = unchanged[1]()
  for (const url of ['/posts', '/posts/1', '/posts/9']) {
    const { headers } = await app.inject({ url, headers: { accept: browserAccept } })
    assert.match(String(headers['content-type']), /^text\/html/)
  }
})

test('JSON_SERVER without a data file stops the start', async (t) => {
  const { status, lines } = await failedStart(t, { JSON_SERVER: '1' })
  assert.equal(status, 2)
  assert.match(String(lines[0]), /JSON_SERVER\) cannot be used without a data file/)
})
