import { createConfig, lintFromString } from '@redocly/openapi-core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { asForm } from '../../test/support/resources.ts'
import { findInvalid } from '../../test/support/valid-html.ts'

const post = (id: unknown, others: object = {}) => ({ id, title: `Post ${String(id)}`, ...others })

const blog = {
  posts: [post(1, { authorId: 1, tags: ['a'] }), post(2, { authorId: 2, tags: [] })],
  authors: [
    { id: 1, name: 'Ann', email: 'ann@example.org', site: 'https://example.org/' },
    { id: 2, name: 'Bob', email: 'bob@example.org', site: 'https://example.org/bob' },
  ],
  comments: [],
  settings: { theme: 'dark', size: 3 },
}

test('an array is a list in the order of the file, and an object one record', async (t) => {
  const app = await dataApp(t, blog)
  for (const [name, value] of Object.entries(blog)) {
    const response = await app.inject(`/${name}`)
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(response.json(), value)
  }
  assert.deepEqual((await app.inject('/posts/2')).json(), blog.posts[1])
  const created = await app.inject({ method: 'POST', url: '/posts', payload: blog.posts[0] ?? {} })
  assert.equal(created.headers.location, '/posts/3')
})

test('the same resources as YAML', async (t) => {
  const yaml = `
base: &base {theme: dark}
posts:
  - {id: 1, title: "Post 1", day: 2026-11-22}
  - <<: *base
    id: 2
    title: Post 2
`
  const app = await dataApp(t, yaml, { name: 'db.yaml' })
  assert.deepEqual((await app.inject('/posts')).json(), [
    { id: 1, title: 'Post 1', day: '2026-11-22' },
    { id: 2, title: 'Post 2', theme: 'dark' },
  ])
})

test('records without an id get the next number, or a UUID where ids are text', async (t) => {
  const app = await dataApp(t, { posts: [post(5), { title: 'a' }], tags: [post('x'), {}] })
  const [, second] = (await app.inject('/posts')).json<{ id: unknown }[]>()
  assert.equal(second?.id, 6)
  const [, tag] = (await app.inject('/tags')).json<{ id: unknown }[]>()
  assert.match(String(tag?.id), /^[\da-f-]{36}$/)
  const created = await app.inject({ method: 'POST', url: '/tags', payload: {} })
  assert.match(created.json<{ id: string }>().id, /^[\da-f-]{36}$/)
})

for (const [what, ids, next] of [
  ['numbers and text', [1, 'pad', 2], 3],
  ['numbers, and digits that are text', [1, '2', undefined], 4],
  ['text of digits', ['1', '2'], 'a UUID'],
  ['no ids', [], 1],
] as const) {
  test(`with ${what}, the next id is ${String(next)}, also after an export`, async (t) => {
    const app = await dataApp(t, { posts: ids.map((id) => ({ id, title: 'a' })) })
    const create = async (from: typeof app) => {
      const payload = { title: 'b' }
      const response = await from.inject({ method: 'POST', url: '/posts', payload })
      return response.json<{ id: unknown }>().id
    }
    const isNext = (id: unknown) =>
      next === 'a UUID' ? /^[\da-f-]{36}$/.test(String(id)) : id === next
    const stored = (await app.inject('/posts')).json<unknown>()
    assert.ok(isNext(await create(app)))
    const again = await dataApp(t, { posts: stored })
    assert.ok(isNext(await create(again)))
  })
}

test('an id of text among numbers does not change the next id', async (t) => {
  const app = await dataApp(t, { posts: [post(1), post(2)] })
  const payload = { title: 'b' }
  await app.inject({ method: 'PUT', url: '/posts/pad', payload })
  const again = await dataApp(t, { posts: (await app.inject('/posts')).json<unknown>() })
  for (const each of [app, again]) {
    const created = await each.inject({ method: 'POST', url: '/posts', payload })
    assert.equal(created.json<{ id: unknown }>().id, 3)
  }
})

test('pages name a resource in words, with its article and its fields', async (t) => {
  const data = { ...blog, postTags: [{ id: 1, postId: 1 }], settings: { theme: 'dark' } }
  const schema = { posts: { properties: { authorId: { 'x-references': 'authors' } } } }
  const app = await dataApp(t, data, { schema })
  const expected: Readonly<Record<string, readonly string[]>> = {
    '/': [
      '2 records in the data file. Fields: title, authorId, tags.',
      '1 record in the data file. Fields: postId.',
      'One object in the data file. Fields: theme.',
      '0 records in the data file. Any field is accepted.',
    ],
    '/posts/new': ['for="authorId">Author<'],
    '/demos/authors': ['>Create an author<', 'Update fields of an author'],
    '/demos/postTags': ['>List post tags<', '>Create a post tag<'],
    '/demos/settings': ['>Get the settings<', '>Replace the settings<'],
    '/postTags': ['>New post tag<'],
  }
  for (const [url, texts] of Object.entries(expected)) {
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    for (const text of texts) assert.ok(body.includes(text), `${url}: ${text}`)
  }
  const missing = await app.inject('/postTags/9')
  assert.match(missing.body, /There is no post tag with the id 9\./)
})

test('a record is named by a usual field, and otherwise by its id', async (t) => {
  const name = { type: 'string', maxLength: 80 }
  const app = await dataApp(t, {
    $schema: { products: { properties: { name } } },
    products: [{ id: 1, code: 'x', name: 'Lamp' }],
    orders: [{ id: 1, state: 'paid', productId: 1 }],
  })
  for (const [url, heading] of [
    ['/products/1', 'Lamp'],
    ['/orders/1', 'Order 1'],
  ] as const) {
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.match(body, new RegExp(`<h1>${heading}</h1>`))
  }
})

test('the home page has two requests of the first resource, and one of the next four', async (t) => {
  const names = Array.from({ length: 7 }, (_, index) => `r${String(index)}`)
  const app = await dataApp(t, Object.fromEntries(names.map((name) => [name, []])))
  const { body } = await app.inject('/')
  const found = [...body.matchAll(/&quot;target&quot;:&quot;\/(r\d)/g)].map(([, name]) => name)
  assert.deepEqual(found, ['r0', 'r0', 'r1', 'r2', 'r3', 'r4'])
})

test('the document has no files of pages', async (t) => {
  const app = await dataApp(t, blog, { settings: { DEMOS: 'none' } })
  const { paths } = (await app.inject('/openapi.json')).json<{ paths: object }>()
  assert.ok('/posts' in paths)
  assert.deepEqual(
    Object.keys(paths).filter((path) => /assets|favicon|users/.test(path)),
    [],
  )
})

test('the list of a resource without a name field has every field', async (t) => {
  const orders = [
    { id: 1, state: 'open', customerId: 1, note: null },
    { id: 2, state: 'paid', customerId: 1, note: 'null' },
  ]
  const app = await dataApp(t, { orders, customers: [{ id: 1, name: 'Ann' }] })
  const { body } = await app.inject({ url: '/orders', headers: { accept: 'text/html' } })
  assert.match(body, /<a href="\/orders\/1"[^>]*>Order 1<\/a>/)
  assert.match(body, /data-label="State">open</)
  assert.match(body, /data-label="Note"><span class="quiet">null<\/span>/)
})

test('pages of the data link to URLs and email addresses, and to nothing else', async (t) => {
  const app = await dataApp(t, {
    authors: [
      { id: 1, name: 'Ann', email: 'ann@example.org', site: 'https://example.org/' },
      { id: 2, name: 'Bob', email: 'bob@example.org', site: 'javascript:alert(1)' },
    ],
  })
  const page = async (url: string) =>
    (await app.inject({ url, headers: { accept: 'text/html' } })).body
  assert.match(await page('/authors/1'), /<a href="mailto:ann@example\.org"/)
  assert.doesNotMatch(await page('/authors/2'), /href="javascript/)
})

test('the pages, the documentation and OpenAPI have the resources, the first in the navigation', async (t) => {
  const app = await dataApp(t, { ...blog, 'blog-posts': [post(1)] })
  const urls = ['/', '/posts', '/posts/1', '/posts/new', '/posts/1/edit', '/settings', '/docs']
  for (const url of [...urls, '/settings/edit', '/comments', '/demos/posts', '/demos/blog-posts']) {
    const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(statusCode, 200, url)
    assert.deepEqual(await findInvalid(body, url), [])
    const [, nav = ''] = /<nav class="site-nav"(.*?)<\/nav>/s.exec(body) ?? []
    const [first] = [...nav.matchAll(/<li><a href="([^"]*)"/g)].map(([, href]) => href)
    assert.equal(first, '/posts', url)
  }
  const document = (await app.inject('/openapi.json')).json<{
    paths: Record<string, Record<string, { operationId: string }>>
    components: { schemas: Record<string, { properties: object }> }
  }>()
  assert.ok(document.components.schemas.Settings)
  assert.deepEqual(Object.keys(document.components.schemas.Post?.properties ?? {}), [
    'id',
    'title',
    'authorId',
    'tags',
  ])
  const lintConfig = await createConfig({
    extends: ['recommended'],
    rules: { 'no-ambiguous-paths': 'off', 'operation-2xx-response': 'off' },
  })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, config: lintConfig })
  assert.deepEqual(
    problems.map(({ message, location: [place] }) => `${message} at ${String(place?.pointer)}`),
    [],
  )
  assert.ok(document.paths['/settings']?.patch)
  assert.equal(document.paths['/settings/{id}'], undefined)
})

test('resources take the paths of demos; with users there is no login', async (t) => {
  const data = { users: [{ id: 1, name: 'Ann' }], profile: { name: 'Ann' } }
  const app = await dataApp(t, data, { settings: { DEMOS: '' } })
  assert.deepEqual((await app.inject('/users')).json(), [{ id: 1, name: 'Ann' }])
  assert.deepEqual((await app.inject('/profile')).json(), { name: 'Ann' })
  assert.equal((await app.inject('/login')).statusCode, 404)
  assert.equal((await app.inject({ method: 'POST', url: '/users/post' })).statusCode, 404)
  assert.equal((await app.inject('/uploads')).statusCode, 200)
  assert.equal((await app.inject('/places')).statusCode, 200)
})

test('unusual names of fields work in forms, filters and CSV', async (t) => {
  const names = ['_method', 'a b', 'a.b', '<b>', '😀', 'constructor', 'page', 'x'.repeat(300)]
  const record = Object.fromEntries(names.map((name, index) => [name, `v${String(index)}`]))
  const app = await dataApp(t, { things: [{ id: 1, ...record }, { id: 2 }] })
  assert.deepEqual((await app.inject('/things/1')).json(), { id: 1, ...record })
  for (const [name, value] of Object.entries(record)) {
    const query = new URLSearchParams({ [`${name}:eq`]: value }).toString()
    const found = (await app.inject(`/things?${query}`)).json<{ id: number }[]>()
    assert.deepEqual(
      found.map(({ id }) => id),
      [1],
      name,
    )
  }
  const form = asForm({ _method: 'PATCH', 'a b': 'new' })
  assert.equal((await app.inject({ method: 'POST', url: '/things/1', ...form })).statusCode, 303)
  const csv = await app.inject('/things.csv')
  assert.match(csv.body, /^id,_method,a b,a\.b,/)
  const page = await app.inject({ url: '/things/1', headers: { accept: 'text/html' } })
  assert.deepEqual(await findInvalid(page.body, '/things/1'), [])
})

test('a record with 500 fields can be searched, and 501 are an error', async (t) => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${String(index)}`, 'x']))
  const app = await dataApp(t, { things: [{ id: 1, ...many(499) }] })
  for (const url of ['/things?q=x', '/things/new', '/things', '/openapi.json']) {
    assert.equal(
      (await app.inject({ url, headers: { accept: '*/*, text/html;q=0.9' } })).statusCode,
      200,
    )
  }
  await assert.rejects(dataApp(t, { things: [many(501)] }), /db\.json: \/things has more than 500/)
})
