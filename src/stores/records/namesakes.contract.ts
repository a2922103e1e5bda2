import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTime } from './query-records.contract.ts'
import type { OpenRecords } from './records.contract.ts'
import type { Collection, RecordQuery, StoredRecord } from './records.ts'

/** The query of a login, on every backend. */
export function namesakes(open: OpenRecords): void {
  test('records with one name are sorted newest first, and those of one time in the reverse order of ids', async (t) => {
    const users = (await open(t)).collection('users')
    for (const [id, second] of [
      ['b', 2],
      ['z', 1],
      ['a', 3],
      ['c', 2],
      ['_', 2],
    ] as const) {
      await add(users, id, 'Ann', second)
    }
    await add(users, 'other', 'Bob', 2)
    assert.deepEqual(await idsOf(users, 'Ann'), ['a', 'c', 'b', '_', 'z'])
  })

  test('of the records with one name the newest are returned, up to the limit', async (t) => {
    const users = (await open(t)).collection('users')
    for (let second = 10; second < 30; second += 1) {
      await add(users, String(second), 'Ann', second)
    }
    assert.deepEqual(await idsOf(users, 'Ann', 3), ['29', '28', '27'])
    assert.equal((await idsOf(users, 'Ann', 16)).length, 16)
    assert.equal((await idsOf(users, 'Ann', 20)).length, 20)
  })

  test('records with one name are returned whole, with their last change', async (t) => {
    const users = (await open(t)).collection('users')
    await add(users, 'a', 'Ann', 1)
    const updatedAt = toTime(9)
    const document = { name: 'Bob', note: 'was Ann' }
    await users.change({ id: 'a', version: 1, document, updatedAt })
    assert.deepEqual(await idsOf(users, 'Ann'), [])
    const stored = await users.find('a')
    assert.deepEqual(await listByName(users, 'Bob', 9), [stored])
    await users.remove('a')
    assert.deepEqual(await idsOf(users, 'Bob'), [])
  })

  test('a name matches exactly, in letter case, spaces and Unicode normalization', async (t) => {
    const users = (await open(t)).collection('users')
    const names = [
      'Ann',
      'ann',
      'ANN',
      'Ann ',
      ' Ann',
      'Anna',
      'A%',
      'A_n',
      '\u00c5se',
      'A\u030ase',
      'straße',
      'strasse',
      'ı',
      'i',
      '漢',
      '😀',
      '👩‍👩‍👧',
      '',
      '1',
      '1.0',
      'null',
      'true',
      `it's "quoted" \\ back`,
      'long '.repeat(40),
    ]
    for (const [index, name] of names.entries()) await add(users, String(index), name, 1)
    for (const [index, name] of names.entries()) {
      assert.deepEqual(await idsOf(users, name), [String(index)], JSON.stringify(name))
    }
    for (const name of ['nobody', 'A%n', '%', 'An', '*', '$.name']) {
      assert.deepEqual(await idsOf(users, name), [], name)
    }
  })

  test('a name is found only in its own resource', async (t) => {
    const records = await open(t)
    const users = records.collection('users')
    await add(users, 'a', 'Rome', 1)
    const document = { name: 'Rome' }
    await records.collection('locations').create({ id: 'b', document, createdAt: toTime(1) })
    assert.deepEqual(await idsOf(users, 'Rome'), ['a'])
  })

  test('a record without a name is never found by name, nor is one whose name is a number', async (t) => {
    const users = (await open(t)).collection('users')
    const documents = [{}, { name: null }, { name: 5 }, { title: 'Ann' }, { in: { name: 'Ann' } }]
    for (const [index, document] of documents.entries()) {
      await users.create({ id: String(index), document, createdAt: toTime(index) })
    }
    for (const name of ['', 'null', 'undefined', '5', 'Ann']) {
      assert.deepEqual(await idsOf(users, name), [], name)
    }
  })
}

async function add(users: Collection, id: string, name: string, second: number): Promise<void> {
  await users.create({ id, document: { name }, createdAt: toTime(second) })
}

async function idsOf(users: Collection, name: string, limit = 99): Promise<string[]> {
  return (await listByName(users, name, limit)).map(({ id }) => id)
}

function listByName(
  users: Collection,
  name: string,
  limit: number,
): Promise<readonly StoredRecord[]> {
  const query: RecordQuery = {
    filters: [{ field: 'name', operator: 'eq', values: [name] }],
    sort: [{ field: 'createdAt', isDescending: true }],
  }
  return users.list(query, { offset: 0, limit })
}
