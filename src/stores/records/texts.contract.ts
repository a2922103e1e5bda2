import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  allRecords,
  type Document,
  type Filter,
  type RecordQuery,
  type Collection,
  type Records,
} from './records.ts'

type OpenRecords = (t: TestContext) => Promise<Records>

const noon = '2026-01-01T12:00:00.000Z'

/** Texts and numbers that databases may compare differently. */
export function texts(open: OpenRecords): void {
  for (const [title, document] of Object.entries(documents)) {
    test(`a document is returned with exactly its characters: ${title}`, async (t) => {
      const users = (await open(t)).collection('users')
      const written = JSON.stringify(document)
      await users.create({ id: 'a', document, createdAt: noon })
      assert.equal(JSON.stringify((await users.find('a'))?.document), written)
      await users.create({ id: 'b', document: {}, createdAt: noon })
      await users.change({ id: 'b', version: 1, document, updatedAt: noon })
      const listed = await users.list(allRecords, { offset: 0, limit: 9 })
      const results = listed.map((record) => JSON.stringify(record.document))
      assert.deepEqual(results, [written, written])
    })
  }

  test('ids match exactly, with any characters', async (t) => {
    const users = (await open(t)).collection('users')
    const ids = [...unusualTexts, 'É', 'é', 'e\u0301', "'", '%', ' ', 'a'.repeat(500)]
    for (const id of ids) {
      assert.equal(await users.create({ id, document: { id }, createdAt: noon }), true)
    }
    for (const id of ids) assert.equal((await users.find(id))?.document.id, id)
    const ordered = ids.toSorted(byCodePoints)
    const listed = await users.list(allRecords, { offset: 0, limit: 99 })
    const listedIds = listed.map(({ id }) => id)
    assert.deepEqual(listedIds, ordered)
    for (const id of ids) {
      const [filters, sort] = [[{ field: '_id', operator: 'gt', values: [id] } as const], []]
      const expected = ordered.slice(ordered.indexOf(id) + 1)
      assert.deepEqual(await namesOf(users, { filters, sort }, 'id'), expected)
    }
  })

  test('text matches exactly, and is sorted by code points', async (t) => {
    const users = (await open(t)).collection('users')
    const all = [...unusualTexts, ...letters]
    await fill(users, all)
    for (const indexed of [[], ['name']]) {
      await users.index(indexed)
      const ordered = all.toSorted(byCodePoints)
      const sort = [{ field: 'name', isDescending: false }]
      assert.deepEqual(await namesOf(users, { filters: [], sort }), ordered)
      for (const [index, text] of ordered.entries()) {
        const find = (operator: Filter['operator']) =>
          namesOf(users, { filters: [{ field: 'name', operator, values: [text] }], sort })
        assert.deepEqual(await find('eq'), [text])
        assert.deepEqual(await find('lt'), ordered.slice(0, index), JSON.stringify(text))
        assert.deepEqual(await find('gte'), ordered.slice(index), JSON.stringify(text))
      }
    }
  })

  test('letters of every script match in any case', async (t) => {
    const users = (await open(t)).collection('users')
    await fill(users, letters)
    const parts = ['ΟΔΌΣ', 'οδός', 'STRASSE', 'ß', 'İ', 'i', 'É', 'e\u0301', 'ж', 'Ǆ', '𐐀', 'k', '']
    for (const part of parts) {
      const folded = part.toLowerCase()
      const expected = (fits: (text: string) => boolean) =>
        letters.filter((text) => fits(text.toLowerCase()))
      const find = (operator: Filter['operator']) =>
        namesOf(users, { filters: [{ field: 'name', operator, values: [part] }], sort: [] })
      const includes = expected((text) => text.includes(folded))
      assert.deepEqual(await find('contains'), includes, part)
      const begins = expected((text) => text.startsWith(folded))
      assert.deepEqual(await find('startsWith'), begins, part)
      assert.deepEqual(
        await find('endsWith'),
        expected((text) => text.endsWith(folded)),
        part,
      )
      const search = { text: part, fields: ['note', 'name'] }
      assert.deepEqual(await namesOf(users, { filters: [], sort: [], search }), includes, part)
    }
  })

  test('numbers match exactly, and are sorted by size', async (t) => {
    const users = (await open(t)).collection('users')
    await fill(users, numbers)
    for (const indexed of [[], ['name']]) {
      await users.index(indexed)
      const sort = [{ field: 'name', isDescending: true }]
      const ordered = numbers.toSorted((one, other) => other - one)
      assert.deepEqual(await namesOf(users, { filters: [], sort }), ordered)
      for (const [index, number] of ordered.entries()) {
        const find = (operator: Filter['operator']) =>
          namesOf(users, { filters: [{ field: 'name', operator, values: [number] }], sort })
        assert.deepEqual(await find('eq'), [number])
        assert.deepEqual(await find('lte'), ordered.slice(index), String(number))
        assert.deepEqual(await find('gt'), ordered.slice(0, index), String(number))
      }
    }
    const minusZero: Filter = { field: 'name', operator: 'eq', values: [-0] }
    assert.deepEqual(await namesOf(users, { filters: [minusZero], sort: [] }), [0])
  })
}

const unusualTexts = [
  '\x01',
  '\x01\x02',
  '\x01\x02\x02',
  '\x01\x02\x03',
  '\x02',
  '\x03',
  '\x04',
  'a\x01b',
  'a\x04b',
  '\\u0000',
  '\ufffe',
  '\uffff',
  '\u{10ffff}',
  '0',
  '1a',
  '2',
]

const letters = [
  'ΟΔΌΣ',
  'οδός',
  'ΟΔΌΣ ΑΒ',
  'Straße',
  'STRASSE',
  'STRAẞE',
  'İstanbul',
  'ISTANBUL',
  'ıstanbul',
  'Élan',
  'E\u0301lan',
  'ЖЖ',
  'жук',
  'ǅ',
  'ǆ',
  '\u{10400}x',
  '\u{10428}x',
  'K',
  'kelvin \u212a',
  '漢字',
  '😀',
]

const numbers = [
  0,
  1,
  -1,
  0.1,
  -0.1,
  1e-300,
  5e-324,
  -5e-324,
  1e21,
  1.7976931348623157e308,
  -1.7976931348623157e308,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  123456789.12345679,
]

const documents: Record<string, Document> = {
  'U+0000': { name: '\0', 'a\0b': ['\0', { '\0': 'c\0d' }] },
  'half a surrogate pair': { name: '\ud800', '\udc00': ['a\udfffb', '\udc00\ud800'] },
  'the order of members': { z: 1, a: 2, 'long name': 3, b: { d: 4, c: { f: 5, e: 6 } }, _: 7 },
  'members that are numbers': { b: 1, 2: 'two', 1: 'one', '-1': 0 },
  numbers: { numbers, '-0': -0, float: 1.5e10, long: 12345678901234567000 },
  'text that looks like a spelling': { name: '\\u0000', '\x01\x02\x02': '\x01\x02\x02' },
}

async function fill(users: Collection, names: readonly (string | number)[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const id = String(index).padStart(3, '0')
    await users.create({ id, document: { name }, createdAt: noon })
  }
}

async function namesOf(users: Collection, query: RecordQuery, field = 'name'): Promise<unknown[]> {
  const listed = await users.list(query, { offset: 0, limit: 999 })
  assert.equal(await users.count(query), listed.length)
  return listed.map(({ document }) => document[field])
}

function byCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
