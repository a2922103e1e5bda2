import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  allRecords,
  type Document,
  type Field,
  type FieldValue,
  type Filter,
  type RecordQuery,
  type Records,
  type SortTerm,
  type StoredRecord,
} from './records.ts'

type OpenRecords = (t: TestContext) => Promise<Records>

/** What queries find, in which order, on every backend: with few records and with many. */
export function queries(open: OpenRecords): void {
  for (const [title, query] of Object.entries(comparisons)) {
    test(`with few records, those with ${title} are found, with an index and without`, async (t) => {
      for (const indexed of [[], allIndexed]) {
        const records = await open(t)
        const all = await fill(records, 60)
        await records.collection('things').index(indexed)
        await compare(records, all, query)
      }
    })
  }

  test('with many records, the same are found as by checking each of them', async (t) => {
    const records = await open(t)
    const all = await fill(records, 5600)
    await records.collection('things').index(allIndexed)
    for (const query of Object.values(comparisons)) await compare(records, all, query)
  })

  test('many records with one name are found whole in any order', async (t) => {
    const records = await open(t)
    const all = await fill(records, 5600, () => ({ name: 'Ann', size: 1 }))
    await records.collection('things').index(['name'])
    for (const sort of [['name'], ['-name'], ['name', '-createdAt'], ['size'], ['-_id']]) {
      await compare(records, all, toQuery([], sort))
    }
  })

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
      const query = toQuery([['name', 'eq', ...unusualNames]])
      const [found, ...others] = await records
        .collection(resource)
        .list(query, { offset: 0, limit: 9 })
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

const allIndexed: Field[] = ['name', 'size', 'any', ['in', 'deep']]

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

const comparisons: Record<string, RecordQuery> = {
  'no condition': allRecords,
  'the newest first': toQuery([], ['-createdAt']),
  'the order of ids': toQuery([], ['_id']),
  'the reverse order of ids': toQuery([], ['-_id']),
  'the order of names': toQuery([], ['name']),
  'the reverse order of names': toQuery([], ['-name']),
  'the order of sizes': toQuery([], ['size']),
  'the reverse order of sizes': toQuery([], ['-size']),
  'the order of a field without an index': toQuery([], ['note']),
  'the order of names, then the newest': toQuery([], ['name', '-createdAt']),
  'the order of names, then the size': toQuery([], ['-name', 'size', '_id']),
  'the order of times of change': toQuery([], ['-updatedAt', 'name']),
  'a name': toQuery([['name', 'eq', 'name 3']]),
  'one of two names': toQuery([['name', 'eq', 'name 3', 'name 4', 'nobody']], ['-name']),
  'another name': toQuery([['name', 'ne', 'name 3', 'name 4']]),
  'a name and an order': toQuery([['name', 'eq', 'name 3']], ['-size', 'note']),
  'a number': toQuery([['size', 'eq', 2]]),
  'a lesser number': toQuery([['size', 'lt', 2.5]], ['name']),
  'a number that is not greater': toQuery([['size', 'lte', 2.5]]),
  'a greater number': toQuery([['size', 'gt', 2.5]], ['-size']),
  'a number that is not less': toQuery([['size', 'gte', -1]]),
  'a number between two': toQuery([
    ['size', 'gte', -1],
    ['size', 'lt', 7],
  ]),
  'a number that nothing reaches': toQuery([['size', 'gt', 1e300]]),
  'a greater name': toQuery([['name', 'gt', 'name 3']], ['_id']),
  'text somewhere': toQuery([['name', 'contains', 'NAME 3', 'me 5']]),
  'text at the beginning': toQuery([['note', 'startsWith', 'ÉCLAIR', 'b']]),
  'text at the end': toQuery([['note', 'endsWith', 'Öl']], ['name']),
  'no text anywhere': toQuery([['note', 'contains', '']]),
  'digits in a number': toQuery([['size', 'contains', '.5']]),
  'an id': toQuery([['_id', 'eq', 'thing-00007']]),
  'later ids': toQuery([['_id', 'gt', 'thing-00007']], ['name']),
  'later times': toQuery([['createdAt', 'gte', toTime(20)]]),
  'a field that none has': toQuery([['colour', 'eq', 'red']]),
  'a field that none has, unlike': toQuery([['colour', 'ne', 'red']]),
  'the order of values of every type': toQuery([], ['any']),
  'the reverse order of values of every type': toQuery([], ['-any', 'name']),
  'a lesser number, and no other type': toQuery([['any', 'lt', 2]]),
  'a greater number, and no other type': toQuery([['any', 'gte', -1]], ['-any']),
  'a lesser text, and no other type': toQuery([['any', 'lte', '2']], ['any']),
  'a greater text, and no other type': toQuery([['any', 'gt', '']], ['-createdAt']),
  'true, and not 1': toQuery([['any', 'eq', true]], ['-createdAt']),
  'false, and not 0': toQuery([['any', 'eq', false]]),
  'less than true': toQuery([['any', 'lt', true]]),
  'false or more': toQuery([['any', 'gte', false]], ['any']),
  'no value': toQuery([['any', 'eq', null]]),
  'no value or 1': toQuery([['any', 'eq', null, 1]], ['any']),
  'a value': toQuery([['any', 'ne', null]]),
  'no less than no value': toQuery([['any', 'gte', null]]),
  'more than no value': toQuery([['any', 'gt', null]]),
  'anything but true and 1': toQuery([['any', 'ne', true, 1]]),
  'true as it is written': toQuery([['any', 'contains', 'RU']]),
  'the beginning of a list': toQuery([['any', 'startsWith', '[']]),
  'a nested text': toQuery([[['in', 'deep'], 'eq', 'Deep 2']]),
  'a greater nested text': toQuery([[['in', 'deep'], 'gt', 'deep 2']], ['-size']),
  'part of a nested text': toQuery([[['in', 'deep'], 'endsWith', 'P 1']]),
  'an object': toQuery([['in', 'ne', null]]),
  'a field of a text': toQuery([[['name', 'deep'], 'ne', null]]),
  'an entry of a list': toQuery([[['any', '0'], 'ne', null]]),
  'the order of a nested field': {
    filters: [],
    sort: [{ field: ['in', 'deep'], isDescending: true }],
  },
  'text in a nested field': { ...allRecords, search: { text: 'EP 1', fields: [['in', 'deep']] } },
  'one name in the order of times': toQuery([['name', 'eq', 'name 4']], ['-createdAt']),
  'greater names in their order': toQuery([['name', 'gt', 'name 4']], ['name']),
  'greater names in the reverse order': toQuery([['name', 'gt', 'name 4']], ['-name']),
  'lesser names in the reverse order': toQuery([['name', 'lt', 'name 4']], ['-name']),
  'text in one of the fields': { ...allRecords, search: { text: 'ÖL', fields: ['name', 'note'] } },
  'text in no field': { ...allRecords, search: { text: 'zzz', fields: ['name', 'note', 'size'] } },
}

function toQuery(
  filters: readonly [Field, Filter['operator'], ...FieldValue[]][],
  sort: readonly string[] = [],
): RecordQuery {
  return {
    filters: filters.map(([field, operator, ...values]) => ({ field, operator, values })),
    sort: sort.map(toSortTerm),
  }
}

function toSortTerm(text: string): SortTerm {
  return { field: text.replace(/^-/, ''), isDescending: text.startsWith('-') }
}

/** A record of every kind: many alike, some without a field. */
function toDocument(index: number): Document {
  return {
    name: `${index % 3 ? 'name' : 'Name'} ${String(index % 11)}`,
    ...(index % 7 && { size: (index % 10) - 1.5 + (index % 2 ? 0 : 0.5) }),
    ...(index % 13 && { any: anyValues[index % anyValues.length] }),
    ...(index % 3 && {
      in: { deep: index % 9 ? `${index % 2 ? 'D' : 'd'}eep ${String(index % 4)}` : index },
    }),
    ...(index % 5 && { note: ['éclair', 'Bär', 'Öl', '', '\u{1f600}', '\uffee'][index % 6] }),
  }
}

const anyValues = [
  0,
  1,
  -1,
  2.5,
  '',
  '1',
  '2',
  'true',
  'x',
  '\u{10ffff}',
  true,
  false,
  null,
  [],
  ['0'],
  [1, 2],
  {},
  { deep: 1 },
  '[]',
  '{}',
]

async function fill(records: Records, count: number, toOne = toDocument): Promise<StoredRecord[]> {
  for (let index = 0; index < count; index += 1) await add(records, index, toOne(index))
  const all: StoredRecord[] = []
  for (let index = 0; index < count; index += 1) {
    const found = await records.collection('things').find(toId(index))
    if (found) all.push(found)
  }
  return all
}

async function add(records: Records, index: number, document: Document): Promise<void> {
  const createdAt = toTime(Math.floor(index / 3))
  await records.collection('things').create({ id: toId(index), document, createdAt })
}

function toId(index: number): string {
  // Not in the order of their times.
  return `thing-${String((index * 7) % 10_007).padStart(5, '0')}`
}

function toTime(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()
}

async function idsOf(records: Records, query: RecordQuery): Promise<string[]> {
  const found: string[] = []
  for await (const page of records.collection('things').pages(query))
    found.push(...page.map(({ id }) => id))
  return found
}

/** Holds every way to ask against a query done by hand. */
async function compare(
  records: Records,
  all: readonly StoredRecord[],
  query: RecordQuery,
): Promise<void> {
  const expected = all.filter((record) => isMeant(record, query)).toSorted(toComparison(query))
  const ids = expected.map(({ id }) => id)
  const message = JSON.stringify(query)
  assert.deepEqual(await idsOf(records, query), ids, message)
  assert.equal(await records.collection('things').count(query), ids.length, message)
  for (const offset of [0, 1, 17, ids.length - 3, ids.length, 2 ** 40]) {
    if (offset < 0) continue
    const part = await records.collection('things').list(query, { offset, limit: 12 })
    assert.deepEqual(part, expected.slice(offset, offset + 12), `${message} ${String(offset)}`)
  }
}

function isMeant(record: StoredRecord, { filters, search }: RecordQuery): boolean {
  const isFound =
    search?.fields.some((field) => fits('contains', valueOf(record, field), search.text)) ?? true
  return isFound && filters.every((filter) => isFitting(valueOf(record, filter.field), filter))
}

function isFitting(value: FieldValue, { operator, values }: Filter): boolean {
  if (operator === 'ne') return !values.some((other) => other === value)
  return values.some((other) => fits(operator, value, other))
}

function fits(operator: Filter['operator'], value: FieldValue, other: FieldValue): boolean {
  const text = value === null ? undefined : String(value).toLowerCase()
  const part = String(other).toLowerCase()
  const isOfType = toRank(value) === toRank(other)
  switch (operator) {
    case 'contains':
      return text?.includes(part) === true
    case 'startsWith':
      return text?.startsWith(part) === true
    case 'endsWith':
      return text?.endsWith(part) === true
    case 'eq':
      return value === other
    case 'ne':
      return value !== other
    case 'lt':
      return isOfType && compareValues(value, other) < 0
    case 'lte':
      return isOfType && compareValues(value, other) <= 0
    case 'gt':
      return isOfType && compareValues(value, other) > 0
    case 'gte':
      return isOfType && compareValues(value, other) >= 0
  }
}

function valueOf({ id, document, createdAt, updatedAt }: StoredRecord, field: Field): FieldValue {
  let value: unknown = { ...document, _id: id, createdAt, updatedAt }
  for (const name of [field].flat()) {
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : null
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as FieldValue) : null
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toComparison({ sort }: RecordQuery) {
  const isDescending = sort[0]?.isDescending ?? false
  const terms = [
    ...sort,
    { field: 'createdAt', isDescending },
    { field: '_id', isDescending },
  ] satisfies SortTerm[]
  return (one: StoredRecord, other: StoredRecord): number => {
    for (const term of terms) {
      const order = compareValues(valueOf(one, term.field), valueOf(other, term.field))
      if (order !== 0) return term.isDescending ? -order : order
    }
    return 0
  }
}

function compareValues(one: FieldValue, other: FieldValue): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  return toRank(one) - toRank(other) || Number(one) - Number(other)
}

function toRank(value: FieldValue): number {
  return ['number', 'string', 'boolean', 'object'].indexOf(typeof value)
}
