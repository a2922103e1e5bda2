import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { findStatements } from '../../test/support/statements.ts'

const size = 500
const posts = Array.from({ length: size }, (_, id) => {
  return { id: String(id), n: id, kind: id % 2, noteId: id < 5 ? 'a' : 'b' }
})
const notes = [{ id: 'a' }, { id: 'b' }]
const urls = {
  '0.17': {
    filter: '/posts?kind=1&_sort=n&_limit=5',
    byIndex: '/posts?noteId=a&_sort=n',
    page: '/posts?_page=3&_limit=20',
  },
  1: {
    filter: '/posts?kind=1&_sort=n&_page=1&_per_page=5',
    byIndex: '/posts?noteId=a&_sort=n',
    page: '/posts?_page=3&_per_page=20',
  },
}

type Post = (typeof posts)[number]

/** Requests to lists whose contents are known, and the number of times each has read records from the database. */
async function openLists(t: TestContext, version: '0.17' | '1', more: object = { notes }) {
  const known = structuredClone(posts)
  const app = await dataApp(t, { posts, ...more }, { settings: { JSON_SERVER: version } })
  const sorted = (isShown: (post: Post) => boolean) =>
    known.filter(isShown).toSorted((one, other) => one.n - other.n)
  const expected = {
    filter: () => sorted(({ kind }) => kind === 1).slice(0, 5),
    byIndex: () => sorted(({ noteId }) => noteId === 'a'),
    page: () => known.slice(40, 60),
  }
  const count = async (list: keyof typeof expected) => {
    const [reads, records] = await countReads(app, urls[version][list])
    assert.deepEqual(records, expected[list]())
    return reads
  }
  const touch = async (url: string, change: Partial<Post>) => {
    const { statusCode } = await app.inject({ method: 'PATCH', url, payload: change })
    assert.equal(statusCode, 200)
  }
  const touchPost = async (n: number) => {
    await touch('/posts/1', { n })
    Object.assign(known[1] ?? {}, { n })
  }
  return { app, count, touch, touchPost }
}

async function countReads(app: FastifyInstance, url: string): Promise<[number, unknown]> {
  let records: unknown
  const statements = await findStatements(async () => {
    const response = await app.inject(url)
    assert.equal(response.statusCode, 200)
    const body = response.json<unknown[] | { data: unknown[] }>()
    records = Array.isArray(body) ? body : body.data
  })
  return [statements.filter((sql) => /^SELECT .*\bdocument\b/.test(sql)).length, records]
}

// To read the 500 records of a list once takes so many statements, since its pages are limited in size.
const leastOfAll = 10
const mostOfAll = 20
const few = 4

for (const version of ['0.17', '1'] as const) {
  test(`in ${version} a list that is filtered is read twice until it changes, also if others do`, async (t) => {
    const { count, touch } = await openLists(t, version)
    for (const read of [await count('filter'), await count('filter')])
      assert.ok(read >= leastOfAll && read <= mostOfAll, String(read))
    for (let index = 0; index < 3; index += 1) {
      await touch('/notes/a', { n: index })
      assert.ok((await count('filter')) <= few)
      assert.ok((await count('page')) <= few)
    }
  })

  test(`in ${version} a filter between two writes reads a list once`, async (t) => {
    const { count, touchPost } = await openLists(t, version)
    for (let index = 0; index < 3; index += 1) {
      await touchPost(500 * (index % 2) + index)
      assert.ok((await count('filter')) <= mostOfAll)
    }
  })

  test(`in ${version} filters with an index between two writes read few records`, async (t) => {
    const { count, touchPost } = await openLists(t, version)
    for (let index = 0; index < 5; index += 1) {
      await touchPost(500 * (index % 2) + index)
      for (let read = 0; read < 5; read += 1) assert.ok((await count('byIndex')) <= few)
    }
  })

  test(`in ${version} pages between two writes read few records, and many pages the list once`, async (t) => {
    const { count, touchPost } = await openLists(t, version)
    for (let index = 0; index < 10; index += 1) {
      await touchPost(index)
      for (let page = 0; page < 5; page += 1) assert.ok((await count('page')) <= few)
    }
    let total = 0
    for (let page = 0; page < 100; page += 1) total += await count('page')
    assert.ok(total <= 60, String(total))
  })

  test(`in ${version} records of a list that is too large are read each time, and take no place of others`, async (t) => {
    const text = 'x'.repeat(300_000)
    const large = Array.from({ length: 20 }, (_, id) => ({ id: String(id), kind: 1, text }))
    const { app, count } = await openLists(t, version, { large })
    for (let index = 0; index < 3; index += 1) await count('filter')
    for (let index = 0; index < 3; index += 1) {
      const [reads, records] = await countReads(app, '/large?kind=1&_sort=id')
      assert.ok(reads > few)
      assert.equal((records as unknown[]).length, large.length)
      assert.ok((await count('filter')) <= few)
    }
  })
}

test('in 1 the lists of the service have ids as they are stored, and those of json-server as text', async (t) => {
  const numbered = posts.map((post) => ({ ...post, id: Number(post.id) }))
  const settings = { JSON_SERVER: '1' }
  const app = await dataApp(t, { posts: numbered }, { settings })
  const read = async (url: string) => (await app.inject(url)).json<unknown>()
  for (let index = 0; index < 3; index += 1) {
    const { data } = (await read('/posts?_sort=n&_page=1&_per_page=2')) as { data: unknown }
    assert.deepEqual(data, posts.slice(0, 2))
    assert.deepEqual(await read('/posts.json?id:lt=2&kind=1'), [numbered[1]])
  }
})
