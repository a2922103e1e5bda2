import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'

const size = 500
const posts = Array.from({ length: size }, (_, id) => {
  return { id: String(id), n: id, kind: id % 2, noteId: id < 5 ? 'a' : 'b' }
})
const notes = [{ id: 'a' }, { id: 'b' }]
const filters = { '0.17': '/posts?kind=1&_sort=n&_limit=5', 1: '/posts?kind=1&_sort=n&_page=1' }
const pages = { '0.17': '/posts?_page=3&_limit=20', 1: '/posts?_page=3&_per_page=20' }

/** The documents that a request parses: each read of a record from the store is one, with few others. */
async function countParsed(t: TestContext, app: FastifyInstance, url: string): Promise<number> {
  const parse = t.mock.method(JSON, 'parse')
  const { statusCode } = await app.inject(url)
  parse.mock.restore()
  assert.equal(statusCode, 200)
  return parse.mock.callCount()
}

async function touch(app: FastifyInstance, url: string): Promise<void> {
  const { statusCode } = await app.inject({ method: 'PATCH', url, payload: { n: 1 } })
  assert.equal(statusCode, 200)
}

const few = 50
const once = size + few

for (const version of ['0.17', '1'] as const) {
  const filter = filters[version]
  const open = async (t: TestContext) => {
    const app = await dataApp(t, { posts, notes }, { settings: { JSON_SERVER: version } })
    return { app, count: (url: string) => countParsed(t, app, url) }
  }

  test(`in ${version} a list that is filtered is read twice until it changes, also if others do`, async (t) => {
    const { app, count } = await open(t)
    for (const read of [await count(filter), await count(filter)])
      assert.ok(read >= size && read <= once, String(read))
    for (let index = 0; index < 3; index += 1) {
      await touch(app, '/notes/a')
      assert.ok((await count(filter)) <= few)
      assert.ok((await count(pages[version])) <= few)
    }
  })

  test(`in ${version} a filter between two writes reads a list once`, async (t) => {
    const { app, count } = await open(t)
    for (let index = 0; index < 3; index += 1) {
      await touch(app, '/posts/1')
      assert.ok((await count(filter)) <= once)
    }
  })

  test(`in ${version} filters with an index between two writes read few records`, async (t) => {
    const { app, count } = await open(t)
    for (let index = 0; index < 5; index += 1) {
      await touch(app, '/posts/1')
      for (let read = 0; read < 5; read += 1)
        assert.ok((await count('/posts?noteId=a&_sort=n')) <= few)
    }
  })

  test(`in ${version} pages between two writes read few records, and many pages the list once`, async (t) => {
    const { app, count } = await open(t)
    for (let index = 0; index < 10; index += 1) {
      await touch(app, '/posts/1')
      for (let page = 0; page < 5; page += 1) assert.ok((await count(pages[version])) <= few)
    }
    let total = 0
    for (let page = 0; page < 100; page += 1) total += await count(pages[version])
    assert.ok(total <= 2 * size + 100 * 10, String(total))
  })

  test(`in ${version} records of a list that is too large are read each time, and take no place of others`, async (t) => {
    const text = 'x'.repeat(300_000)
    const large = Array.from({ length: 20 }, (_, id) => ({ id: String(id), kind: 1, text }))
    const settings = { JSON_SERVER: version }
    const app = await dataApp(t, { posts, large }, { settings })
    const count = (url: string) => countParsed(t, app, url)
    for (let index = 0; index < 3; index += 1) await count(filter)
    for (let index = 0; index < 3; index += 1) {
      assert.ok((await count('/large?kind=1&_sort=id')) >= 20)
      assert.ok((await count(filter)) <= few)
    }
  })
}
