import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { openRecords } from '../../../test/support/sqlite-records.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { findStatements } from '../../../test/support/statements.ts'
import { comparisons, toQuery } from '../../stores/records/query-cases.contract.ts'
import { fill } from '../../stores/records/query-records.contract.ts'
import { toPosition, type RecordPages, type RecordQuery } from '../../stores/records/records.ts'
import { findReader, type ListReader } from './kept-list.ts'

const queries: Record<string, RecordQuery> = {
  ...comparisons,
  'a text that cannot be stored': toQuery([['name', 'gte', '\0']]),
  'anything but a text that cannot be stored': toQuery([['name', 'ne', '\ud800', 'name 3']]),
  'half a character': { filters: [], sort: [], search: { text: '\ud83d', fields: ['note'] } },
}

async function findIds(pages: RecordPages): Promise<string[]> {
  const ids: string[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => id))
  return ids
}

async function findAll(reader: ListReader, query: RecordQuery) {
  const count = await reader.count(query)
  const parts = [0, 1, 17, count, 2 ** 40].map(async (offset) => {
    const [last] = await reader.list(query, { offset: Math.max(0, offset - 1), limit: 1 })
    const after = last && toPosition(query, last)
    const next = after ? await reader.list(query, { offset: 0, limit: 12, after }) : []
    return [await reader.list(query, { offset, limit: 12 }), next]
  })
  return { count, ids: await findIds(reader.pages(query)), parts: await Promise.all(parts) }
}

for (const [title, query] of Object.entries(queries)) {
  test(`kept records have the same with ${title} as the store`, async (t) => {
    const { records } = openRecords(t, 'sqlite::memory:')
    await fill(records, 60)
    const source = { records, collection: records.collection('things') }
    await findReader(source, comparisons['no value'] ?? query)
    const reader = await findReader(source, query)
    assert.equal(reader === source.collection, /stored|half/.test(title))
    assert.deepEqual(await findAll(reader, query), await findAll(source.collection, query))
  })
}

for (const [size, isKept] of [
  [5000, true],
  [5001, false],
] as const) {
  test(`${String(size)} records are ${isKept ? 'kept' : 'read each time'}`, async (t) => {
    const { records } = openRecords(t, 'sqlite::memory:')
    await fill(records, size, (n) => ({ n }))
    const source = { records, collection: records.collection('things') }
    const query = toQuery([['n', 'lt', 10]])
    for (let read = 0; read < 20; read += 1) await findReader(source, query)
    assert.equal((await findReader(source, query)) !== source.collection, isKept)
  })
}

const posts = Array.from({ length: 500 }, (_, id) => {
  return { id: String(id), n: (id * 7) % 500, kind: id % 2, noteId: id < 5 ? 'a' : 'b' }
})
type Post = (typeof posts)[number]
const notes = [{ id: 'a' }, { id: 'b' }]
const byN = (one: Post, other: Post) => one.n - other.n

const isOfList = (sql: string) => sql.includes('INDEXED BY')

const lists: Record<string, (known: readonly Post[]) => readonly Post[]> = {
  'kind=1&sort=n&per_page=5': (known) =>
    known
      .filter(({ kind }) => kind === 1)
      .toSorted(byN)
      .slice(0, 5),
  'n:lt=400&kind=0&page=2&per_page=10': (known) =>
    known.filter(({ n, kind }) => n < 400 && kind === 0).slice(10, 20),
  'sort=-n&per_page=3': (known) => known.toSorted(byN).toReversed().slice(0, 3),
  'sort=n': (known) => known.toSorted(byN),
  'kind=1': (known) => known.filter(({ kind }) => kind === 1),
  'q=49&per_page=1000': (known) =>
    known.filter((post) => Object.values(post).some((value) => String(value).includes('49'))),
}

for (const [query, toExpected] of Object.entries(lists)) {
  test(`?${query} reads the 500 records of a list three times until it changes, by this process or another`, async (t) => {
    const known = structuredClone(posts)
    // On PostgreSQL no list is kept.
    const settings = { DATABASE_URL: `sqlite:${await temporaryFolder(t)}/data.db` }
    const app = await dataApp(t, { posts, notes }, { settings })
    const other = await dataApp(t, { posts, notes }, { settings })
    const countReads = async () => {
      const statements = await findStatements(async () => {
        const response = await app.inject(`/posts?${query}`)
        assert.equal(response.statusCode, 200, response.body)
        assert.deepEqual(response.json(), toExpected(known))
      })
      return statements.filter(isOfList).length
    }
    for (const [n, writer] of [app, other, app].entries()) {
      for (let read = 0; read < 3; read += 1) assert.ok((await countReads()) > 0)
      await app.inject({ method: 'PATCH', url: '/notes/a', payload: { n } })
      for (let read = 0; read < 2; read += 1) assert.equal(await countReads(), 0)
      const change = { n: 1000 + n, kind: 1 }
      await writer.inject({ method: 'PATCH', url: '/posts/1', payload: change })
      Object.assign(known[1] ?? {}, change)
    }
  })
}

test('requests at the same time with different orders each have their own', async (t) => {
  const { records } = openRecords(t, 'sqlite::memory:')
  await fill(records, 60)
  const source = { records, collection: records.collection('things') }
  const orders = [['name'], ['-name'], ['size'], ['-note', 'size']]
  const all = orders.map((order) => toQuery([['size', 'lt', 7]], order))
  await findReader(source, comparisons['no value'] ?? toQuery([]))
  const readers = await Promise.all(all.map((query) => findReader(source, query)))
  for (const [index, query] of all.entries()) {
    const reader = readers[index] ?? source.collection
    assert.notEqual(reader, source.collection)
    assert.deepEqual(await findAll(reader, query), await findAll(source.collection, query))
  }
})
