import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenRecords } from './records.contract.ts'
import { allRecords, type Collection, type StoredRecord } from './records.ts'

export const noon = '2026-01-01T12:00:00.000Z'
export const later = '2026-01-01T12:00:00.001Z'

/** A whole list, its parts, and walks through it. */
export function lists(open: OpenRecords): void {
  test('a list is oldest first, and records of the same time are sorted by id', async (t) => {
    const users = (await open(t)).collection('users')
    for (const id of ['z', 'B', 'a', '_', '-', '0']) {
      await users.create(record(id, noon))
    }
    await users.create(record('y', '2025-12-31T23:59:59.999Z'))
    await users.create(record('b', later))
    const expected = ['y', '-', '0', 'B', '_', 'a', 'z', 'b']
    assert.deepEqual(await walk(users), expected)
    assert.deepEqual(idsOf(await users.list(allRecords, { offset: 0, limit: 99 })), expected)
  })

  test('a list has whole records, and a change moves none of them', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon))
    await users.create(record('b', later))
    await users.change(changeOf('a', 1, { name: 'changed' }))
    assert.deepEqual(await users.list(allRecords, { offset: 0, limit: 9 }), [
      await users.find('a'),
      await users.find('b'),
    ])
  })

  test('a list without records is empty', async (t) => {
    const records = await open(t)
    const users = records.collection('users')
    await records.collection('locations').create(record('a', noon))
    assert.deepEqual(await walk(users), [])
    assert.deepEqual(await users.list(allRecords, { offset: 0, limit: 9 }), [])
  })

  test('a page begins after its offset and has at most its limit of records', async (t) => {
    const users = (await open(t)).collection('users')
    await fill(users, ['a', 'b', 'c', 'd', 'e'])
    const pages = [
      [0, 2, 'ab'],
      [2, 2, 'cd'],
      [4, 2, 'e'],
      [5, 2, ''],
      [1_000_000, 2, ''],
      [0, 5, 'abcde'],
    ] as const
    for (const [offset, limit, expected] of pages) {
      assert.equal(idsOf(await users.list(allRecords, { offset, limit })).join(''), expected)
    }
  })

  test('a walk visits each record exactly once', async (t) => {
    const users = (await open(t)).collection('users')
    const ids = range(1000, 1999).map(String)
    await fill(users, ids)
    assert.deepEqual(await walk(users), ids)
  })

  test('a walk by a field without an index visits each record exactly once, while others change', async (t) => {
    const users = (await open(t)).collection('users')
    const ids = range(1000, 3999).map(String)
    await fill(users, ids, (id) => ({ note: Number(id) % 7 }))
    const sort = [{ field: ['note'], isDescending: true }]
    const met: StoredRecord[] = []
    for await (const page of users.pages({ filters: [], sort })) {
      met.push(...page)
      const [last = '', others] = [page.at(-1)?.id, { note: 7 }]
      await users.change(changeOf(last, 1, others))
      await users.create(record(`${last} is new`, noon, others))
    }
    const found = met.filter(({ version, id }) => version === 1 && /^\d+$/.test(id))
    const notes = found.map(({ document }) => Number(document.note))
    assert.deepEqual(
      notes,
      notes.toSorted((one, other) => other - one),
    )
    assert.deepEqual(idsOf(found).toSorted(), ids)
    assert.equal(new Set(idsOf(met)).size, met.length)
  })

  test('a walk visits each unchanged record exactly once, while other records come and go', async (t) => {
    const users = (await open(t)).collection('users')
    const ids = range(1000, 1999).map(String)
    await fill(users, ids)
    await users.create(record('1998 goes', noon))
    const met = await walk(users, async (last) => {
      // The record at the position of the walk is removed; others are added before it, after it, at the end.
      await users.remove(last)
      await users.remove('1998 goes')
      await users.create(record(`0 before ${last}`, noon))
      await users.create(record(`${last} after`, noon))
      await users.create(record(`later than ${last}`, later))
    })
    assert.equal(new Set(met).size, met.length)
    const found = met.filter((id) => /^\d+$/.test(id))
    assert.deepEqual(found, ids)
    const unexpected = met.filter((id) => /^(0|1998 )/.test(id))
    assert.deepEqual(unexpected, [])
    assert.ok(met.some((id) => id.endsWith(' after')) && met.some((id) => id.startsWith('later')))
  })
}

export function record(id: string, createdAt: string, document: StoredRecord['document'] = {}) {
  return { id, document, createdAt }
}

export function changeOf(id: string, version: number, document: StoredRecord['document'] = {}) {
  return { id, version, document, updatedAt: later }
}

async function fill(
  users: Collection,
  ids: readonly string[],
  toDocument: (id: string) => StoredRecord['document'] = () => ({}),
): Promise<void> {
  for (let first = 0; first < ids.length; first += 50) {
    const some = ids.slice(first, first + 50)
    await Promise.all(some.map((id) => users.create(record(id, noon, toDocument(id)))))
  }
}

async function walk(
  users: Collection,
  afterPage?: (last: string) => Promise<void>,
): Promise<string[]> {
  const met: string[] = []
  for await (const page of users.pages()) {
    met.push(...idsOf(page))
    // Records that are constantly added would make the walk endless.
    if (met.length < 900) await afterPage?.(met.at(-1) ?? '')
  }
  return met
}

export function idsOf(records: readonly StoredRecord[]): string[] {
  return records.map(({ id }) => id)
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
