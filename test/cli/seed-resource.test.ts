import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { dataFile } from '../support/data-app.ts'
import { openEvents } from '../support/event-stream.ts'
import { projectFolder, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'

const email = { type: 'string', format: 'email', 'x-unique': true }
const blog = {
  $schema: {
    authors: {
      required: ['email', 'code'],
      properties: {
        email,
        code: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{2}$' },
        born: { type: 'string', format: 'date' },
        seenAt: { type: 'string', format: 'date-time' },
        site: { type: 'string', format: 'uri' },
        age: { type: 'integer', minimum: 18, maximum: 20 },
        rate: { type: 'number', maximum: 0.5 },
        role: { enum: ['admin', 'author'] },
        short: { type: 'string', minLength: 5, maxLength: 6 },
        tags: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
        place: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
        password: { type: 'string', writeOnly: true, minLength: 5 },
      },
    },
  },
  authors: [],
  posts: [{ id: 1, title: 'One', authorId: null }],
  marks: [
    { id: 'a', postId: 1 },
    { id: 'b', postId: 1 },
  ],
  profile: { name: 'Ann' },
}

const shop = {
  products: ['light', 'light', 'table'].map((category, id) => ({
    id,
    category,
    name: `Thing ${String(id)}`,
  })),
  orders: [
    { id: 1, items: [{ productId: 1, count: 2 }] },
    { id: 2, items: [{ productId: 2, count: 2 }] },
  ],
}

async function openBlog(t: TestContext, contents: unknown = blog) {
  const folder = await temporaryFolder(t)
  const settings = {
    DATABASE_URL: `sqlite:${join(folder, 'data.db')}`,
    DATA_FILE: await dataFile(t, contents),
  }
  const run = async (...args: string[]) => {
    const env = { PATH: process.env.PATH, ...settings }
    const command = ['bin/vitrine.js', ...args]
    return promisify(execFile)(process.execPath, command, { env, cwd: projectFolder })
  }
  const read = async () => {
    const file = join(folder, `${String(performance.now())}.json`)
    await run('export', file)
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, unknown>[]>
  }
  const { origin } = await startVitrine(t, settings)
  return { run, read, origin }
}

async function seedAll(t: TestContext, seed: string) {
  const { run, read } = await openBlog(t)
  for (const resource of ['authors', 'posts', 'marks'])
    await run('seed', '12', '--resource', resource, '--seed', seed)
  return read()
}

test('the same seed adds the same records, which fit the schema and refer to others', async (t) => {
  const all = await Promise.all([seedAll(t, '7'), seedAll(t, '7'), seedAll(t, '8')])
  const [one, same, other] = all
  assert.deepEqual(same, one)
  assert.notDeepEqual(other, one)
  const { authors = [], posts = [], marks = [] } = one
  assert.deepEqual([authors.length, posts.length, marks.length], [12, 13, 14])
  const ids = authors.map(({ id }) => id)
  assert.ok(posts.slice(1).every(({ authorId }) => ids.includes(authorId)))
  assert.equal(new Set(authors.map((author) => author.email)).size, 12)
  assert.match(String(marks.at(-1)?.id), /^[\da-f-]{36}$/)
})

test('texts that are few are those of the file, and ids inside objects exist', async (t) => {
  const { run, read } = await openBlog(t, shop)
  for (const resource of ['products', 'orders'])
    await run('seed', '20', '--resource', resource, '--seed', '7')
  const { products = [], orders = [] } = await read()
  assert.deepEqual([products.length, orders.length], [23, 22])
  assert.deepEqual(new Set(products.map(({ category }) => category)), new Set(['light', 'table']))
  const ids = products.map(({ id }) => id)
  const items = orders.flatMap((order) => order.items as { productId: unknown }[])
  assert.ok(items.length > 10)
  for (const { productId } of items) assert.ok(ids.includes(productId))
})

test('a reference gets only ids of a type that its field accepts', async (t) => {
  const productId = Number.MAX_SAFE_INTEGER
  const { run, read, origin } = await openBlog(t, {
    makers: [{ id: 'a' }],
    products: [{ id: productId }],
    orders: [1, 2].map((id) => ({ id, productId })),
    offers: [1, 2].map((id) => ({ id, makerId: id })),
  })
  // There is no number after the largest: its id is a UUID.
  for (let count = 0; count < 5; count += 1) await fetch(`${origin}/products`, { method: 'POST' })
  await run('seed', '5', '--resource', 'orders')
  const { products = [], orders = [] } = await read()
  assert.equal(products.length, 6)
  assert.deepEqual(
    orders.map((order) => order.productId),
    Array<number>(7).fill(productId),
  )
  await run('seed', '1', '--resource', 'offers')
  assert.equal((await read()).offers?.at(-1)?.makerId, undefined)
})

test('a second call adds other records, and a running service streams them', async (t) => {
  const { run, read, origin } = await openBlog(t)
  const stream = await openEvents(t, `${origin}/authors/events`)
  for (let count = 0; count < 2; count += 1)
    await run('seed', '3', '--resource', 'authors', '--seed', '7')
  assert.equal(new Set((await read()).authors?.map((author) => author.email)).size, 6)
  const events = await stream.take(6)
  assert.ok(events.every((event) => event?.name === 'created'))
  assert.doesNotMatch(JSON.stringify(events), /password/)
})

for (const [title, args, line] of [
  [
    'an unknown resource',
    ['--resource', 'books'],
    '--resource must be one of authors, posts, marks',
  ],
  ['a single record', ['--resource', 'profile'], '--resource must be one of authors, posts, marks'],
  ['no resource', [], '--resource must be one of authors, posts, marks'],
] as const) {
  test(`${title} is one clear line`, async (t) => {
    const { run } = await openBlog(t)
    await assert.rejects(run('seed', '1', ...args), {
      stderr: `vitrine: cannot seed: ${line}\n`,
    })
  })
}

test('a schema that the service does not have is one clear line', async (t) => {
  const { run } = await openBlog(t)
  const schema = await dataFile(t, { posts: { properties: {} } }, 'schema.json')
  await assert.rejects(run('seed', '1', '--resource', 'posts', '--schema', schema), {
    stderr:
      'vitrine: cannot seed: the service has another schema: start it with this --schema first\n',
  })
})

const numbered = { properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] }

const object = { type: 'object', ...numbered }
const alternatives = {
  allOf: { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, numbered] },
  oneOf: { type: 'object', oneOf: [numbered, { required: ['m'] }] },
  afterNull: { oneOf: [{ type: 'null' }, object] },
  afterFalse: { oneOf: [false, object] },
  inside: { type: 'object', allOf: [{ oneOf: [numbered] }, { required: ['n'] }] },
  constant: {
    type: 'object',
    required: ['kind'],
    oneOf: [{ properties: { kind: { const: 'a' } } }],
  },
  list: { type: 'array', minItems: 1, items: { type: 'object', anyOf: [numbered] } },
}

test('seed and the example of the document fit schemas with alternatives', async (t) => {
  const things = { required: Object.keys(alternatives), properties: alternatives }
  const { run, read, origin } = await openBlog(t, { $schema: { things }, things: [] })
  await run('seed', '2', '--resource', 'things')
  assert.equal((await read()).things?.length, 2)
  const { paths } = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    paths: {
      '/things': { post: { requestBody: { content: Record<string, { example: unknown }> } } }
    }
  }
  const headers = { 'content-type': 'application/json' }
  const { example } = paths['/things'].post.requestBody.content['application/json'] ?? {}
  const sent = { method: 'POST', headers, body: JSON.stringify(example) }
  const created = await fetch(`${origin}/things`, sent)
  assert.equal(created.status, 201, await created.text())
})

test('seed fills members of objects and lists whose schemas have no type', async (t) => {
  const line = { properties: { count: { type: 'integer' }, never: false } }
  const properties = {
    size: { required: ['w'], properties: { w: { type: 'number' }, inner: line } },
    lines: { items: line },
    box: { anyOf: [{ type: 'null' }, { ...line, type: 'object' }] },
    never: false,
  }
  const { run, read } = await openBlog(t, { $schema: { things: { properties } }, things: [] })
  await run('seed', '1', '--resource', 'things')
  const { things: [thing] = [] } = await read()
  const toTypes = (value: unknown): unknown => {
    if (Array.isArray(value)) return [toTypes(value[0])]
    if (typeof value !== 'object' || value === null) return typeof value
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([name, each]) => [name, toTypes(each)]))
  }
  const counted = { count: 'number' }
  assert.deepEqual(toTypes(thing), {
    id: 'number',
    size: { w: 'number', inner: counted },
    lines: [counted],
    box: counted,
  })
})
