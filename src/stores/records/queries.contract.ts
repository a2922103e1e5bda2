import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  allRecords,
  toPosition,
  type FieldPath,
  type Filter,
  type Position,
  type RecordQuery,
  type Records,
  type StoredRecord,
} from './records.ts'
import { comparisons, toQuery } from './query-cases.contract.ts'
import { fits, selectRecords } from './query-model.contract.ts'
import { add, fill, idsOf, toDocument, toId, toTime } from './query-records.contract.ts'

type OpenRecords = (t: TestContext) => Promise<Records>

/** The results of queries and their order, on every backend: with few records and with many. */
export function queries(open: OpenRecords): void {
  test('with few records, the same are found as by checking each of them, with an index and without', async (t) => {
    for (const indexed of [[], allIndexed]) {
      const records = await open(t)
      const all = await fill(records, 60)
      await records.collection('things').index(indexed)
      for (const [title, query] of Object.entries(comparisons))
        await t.test(`${title}, ${String(indexed.length)} indexes`, () =>
          compare(records, all, query),
        )
    }
  })

  test('with many records, the same are found as by checking each of them', async (t) => {
    const records = await open(t)
    const all = await fill(records, 5600)
    await records.collection('things').index(allIndexed)
    for (const query of Object.values(comparisons))
      await compare(records, all, query, [0, 17, 2 ** 40])
  })

  test('many records with one name are found whole in any order', async (t) => {
    const records = await open(t)
    const all = await fill(records, 5600, () => ({ name: 'Ann', size: 1 }))
    await records.collection('things').index(['name'])
    for (const sort of [['name'], ['-name'], ['name', '-createdAt'], ['size'], ['-_id']]) {
      await compare(records, all, toQuery([], sort))
    }
  })

  for (const [title, query] of Object.entries(comparisons)) {
    test(`with records that come and go, those with ${title} are each found once after one another`, async (t) => {
      for (const indexed of [[], allIndexed]) {
        const records = await open(t)
        const things = records.collection('things')
        await things.index(indexed)
        const expected = selectRecords(await fill(records, 60), query)
        const found: string[] = []
        let after: Position | undefined
        for (let index = 100; ; index += 1) {
          const [next] = await things.list(query, { offset: 0, limit: 1, after })
          if (next === undefined) break
          assert.ok(!found.includes(next.id))
          found.push(next.id)
          after = toPosition(query, next)
          await things.remove(next.id)
          // These are older than all others, and newer.
          if (index >= 120) continue
          await add(records, -index, toDocument(index))
          await add(records, index, toDocument(index))
        }
        const missing = expected.filter(({ id }) => !found.includes(id))
        assert.deepEqual(missing, [])
      }
    })
  }

  test('values match exactly, even with a special meaning to a database', async (t) => {
    const records = await open(t)
    const names = [`'; DROP TABLE records; --`, '%', '_', 'a_b', 'a%b', '?1', '\\', '"', '*', '[a]']
    for (const [index, name] of names.entries()) await add(records, index, { name })
    for (const [index, name] of names.entries()) {
      const found = (operator: Filter['operator']) =>
        idsOf(records, { filters: [{ field: 'name', operator, values: [name] }], sort: [] })
      assert.deepEqual(await found('eq'), [toId(index)], name)
      for (const operator of ['contains', 'startsWith', 'endsWith'] as const) {
        const expected = names.flatMap((other, at) => (fits(operator, other, name) ? toId(at) : []))
        assert.deepEqual(await found(operator), expected, `${operator} ${name}`)
      }
    }
  })

  test('field names match exactly, even with a special meaning to a database', async (t) => {
    const records = await open(t)
    for (const [index, name] of unusualNames.entries()) {
      await add(records, index, { [name]: `Top ${name}`, in: { [name]: `Deep ${name}` } })
    }
    for (const indexed of [[], unusualNames.flatMap((name) => [[name], ['in', name]])]) {
      await records.collection('things').index(indexed)
      for (const [index, name] of unusualNames.entries()) {
        const first = toId(index)
        for (const [field, text] of [
          [[name], `Top ${name}`],
          [['in', name], `Deep ${name}`],
        ] as const) {
          for (const operator of ['eq', 'contains'] as const) {
            const filters = [{ field, operator, values: [text] }]
            assert.deepEqual(await idsOf(records, { filters, sort: [] }), [first], name)
          }
          const sorted = await idsOf(records, {
            filters: [],
            sort: [{ field, isDescending: false }],
          })
          assert.equal(sorted[0], first, name)
        }
      }
    }
  })

  test('resource names match exactly', async (t) => {
    const records = await open(t)
    for (const resource of unusualNames) {
      const document = { name: resource }
      await records.collection(resource).create({ id: 'a', document, createdAt: toTime(1) })
      await records.collection(resource).index(['name'])
    }
    for (const resource of unusualNames) {
      const [found, ...others] = await records
        .collection(resource)
        .list(toQuery([['name', 'eq', ...unusualNames]]), { offset: 0, limit: 9 })
      assert.deepEqual([found?.document.name, others], [resource, []])
    }
  })

  test('a path without a name throws', async (t) => {
    const records = await open(t)
    for (const field of ['', [], ['a', ''], 'a\0b', ['\ud800']]) {
      const query: RecordQuery = { filters: [], sort: [{ field, isDescending: false }] }
      const expected = /path of a field/
      await assert.rejects(
        records.collection('things').list(query, { offset: 0, limit: 1 }),
        expected,
      )
      await assert.rejects(records.collection('things').index([field]), expected)
    }
  })

  test('an id or a value that no store can hold is not found', async (t) => {
    const records = await open(t)
    await add(records, 1, { name: 'Ann' })
    for (const text of ['\0', 'Ann\0', '\ud800']) {
      assert.equal(await records.collection('things').find(text), undefined)
      assert.equal(await records.collection('things').remove(text), false)
      for (const operator of ['eq', 'lt', 'gte', 'contains'] as const) {
        assert.deepEqual(await idsOf(records, toQuery([['name', operator, text]])), [])
      }
      assert.deepEqual(await idsOf(records, toQuery([['name', 'ne', text]])), [toId(1)])
      const search = { text, fields: ['name'] }
      assert.deepEqual(await idsOf(records, { ...allRecords, search }), [])
    }
  })

  test('a query finds nothing of another resource', async (t) => {
    const records = await open(t)
    await records.collection('things').index(['name'])
    await add(records, 1, { name: 'Ann' })
    for (const query of [allRecords, toQuery([['name', 'eq', 'Ann']]), toQuery([], ['name'])]) {
      assert.equal(await records.collection('others').count(query), 0)
      assert.deepEqual(await records.collection('others').list(query, { offset: 0, limit: 9 }), [])
    }
  })

  test('an index may be added twice, and follows every change', async (t) => {
    const records = await open(t)
    await records.collection('things').index(['name'])
    await add(records, 1, { name: 'Ann' })
    const change = { id: toId(1), version: 1, document: { name: 'Bea' }, updatedAt: toTime(9) }
    await records.collection('things').change(change)
    await records.collection('things').index(['name', 'size'])
    assert.deepEqual(await idsOf(records, toQuery([['name', 'eq', 'Ann']])), [])
    assert.deepEqual(await idsOf(records, toQuery([['name', 'eq', 'Bea']])), [toId(1)])
  })

  test('the total follows creations and removals, and ignores rejected creations', async (t) => {
    const records = await open(t)
    await fill(records, 3)
    await add(records, 1, { name: 'taken' })
    await records.collection('things').remove(toId(0))
    await records.collection('things').remove(toId(0))
    assert.equal(await records.collection('things').count(allRecords), 2)
  })

  test('a list that is not read to its end is released', async (t) => {
    const records = await open(t)
    await fill(records, 5600)
    for (const sort of [[], ['size'], ['name', '-size']]) {
      for await (const page of records.collection('things').pages(toQuery([], sort))) {
        assert.ok(page.length > 0)
        break
      }
    }
  })
}

const allIndexed: FieldPath[] = ['name', 'size', 'any', ['in', 'deep']]

const unusualNames = [
  `name' OR 1=1 --`,
  'a.b',
  'a"b',
  '$',
  'a b',
  '?',
  '$1',
  '\\',
  "\\' OR 1=1 --",
  '[0]',
  '~',
  'a~',
  'a~.',
  '0',
  'É\u{1f600}',
  '\x01\n',
  '__proto__',
  'toString',
  'long '.repeat(30),
]

/** Compares the ids, the count and the pages of a query with the result computed by the model. */
async function compare(
  records: Records,
  all: readonly StoredRecord[],
  query: RecordQuery,
  offsets: readonly number[] = [0, 1, 17, 2 ** 40],
): Promise<void> {
  const expected = selectRecords(all, query)
  const ids = expected.map(({ id }) => id)
  const message = JSON.stringify(query)
  assert.deepEqual(await idsOf(records, query), ids, message)
  assert.equal(await records.collection('things').count(query), ids.length, message)
  for (const offset of [...offsets, ids.length - 3, ids.length]) {
    if (offset < 0) continue
    const part = await records.collection('things').list(query, { offset, limit: 12 })
    assert.deepEqual(part, expected.slice(offset, offset + 12), `${message} ${String(offset)}`)
    const last = expected[offset - 1]
    if (last === undefined) continue
    const after = toPosition(query, last)
    const next = await records.collection('things').list(query, { offset: 0, limit: 12, after })
    assert.deepEqual(next, part, `${message} after ${String(offset)}`)
  }
}
