import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenRecords } from './records.contract.ts'
import { everything, type Position, type Records, type StoredRecord } from './records.ts'

export const noon = '2026-01-01T12:00:00.000Z'
export const later = '2026-01-01T12:00:00.001Z'

/** A whole list, its parts, and walks through it. */
export function lists(open: OpenRecords): void {
  test('a list is oldest first, and records of the same time are in the order of their ids', async (t) => {
    const records = await open(t)
    for (const id of ['z', 'B', 'a', '_', '-', '0']) {
      await records.create('users', record(id, noon))
    }
    await records.create('users', record('y', '2025-12-31T23:59:59.999Z'))
    await records.create('users', record('b', later))
    const expected = ['y', '-', '0', 'B', '_', 'a', 'z', 'b']
    assert.deepEqual(idsOf(await records.listAfter('users', undefined, 99)), expected)
    assert.deepEqual(
      idsOf(await records.list('users', everything, { offset: 0, limit: 99 })),
      expected,
    )
  })

  test('a list holds whole records, and a change moves none of them', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon))
    await records.create('users', record('b', later))
    await records.change('users', changeOf('a', 1, { name: 'changed' }))
    const expected = [await records.find('users', 'a'), await records.find('users', 'b')]
    assert.deepEqual(await records.listAfter('users', undefined, 9), expected)
    assert.deepEqual(await records.list('users', everything, { offset: 0, limit: 9 }), expected)
  })

  test('a list of nothing is empty', async (t) => {
    const records = await open(t)
    await records.create('locations', record('a', noon))
    assert.deepEqual(await records.listAfter('users', undefined, 9), [])
    assert.deepEqual(await records.list('users', everything, { offset: 0, limit: 9 }), [])
  })

  test('a page begins after its offset and holds no more than its limit', async (t) => {
    const records = await open(t)
    await fill(records, ['a', 'b', 'c', 'd', 'e'])
    const pages = [
      [0, 2, 'ab'],
      [2, 2, 'cd'],
      [4, 2, 'e'],
      [5, 2, ''],
      [1_000_000, 2, ''],
      [0, 5, 'abcde'],
    ] as const
    for (const [offset, limit, expected] of pages) {
      assert.equal(
        idsOf(await records.list('users', everything, { offset, limit })).join(''),
        expected,
      )
    }
  })

  test('going on after the last record of each page meets each record exactly once', async (t) => {
    const records = await open(t)
    const ids = range(10, 59).map(String)
    await fill(records, ids)
    for (const limit of [1, 7, 50, 51]) {
      assert.deepEqual(await walk(records, { limit }), ids)
    }
  })

  test('a walk meets what stays exactly once, while other records come and go', async (t) => {
    const records = await open(t)
    const ids = range(10, 59).map(String)
    await fill(records, ids)
    await records.create('users', record('58 goes', noon))
    const met = await walk(records, {
      limit: 3,
      afterPage: async (last) => {
        // The place that the walk has reached goes; others come before it, after it, at the end.
        await records.remove('users', last.id)
        await records.remove('users', '58 goes')
        await records.create('users', record(`0 before ${last.id}`, noon))
        await records.create('users', record(`${last.id} after`, noon))
        await records.create('users', record(`later than ${last.id}`, later))
      },
    })
    assert.equal(new Set(met).size, met.length)
    assert.deepEqual(
      met.filter((id) => /^\d+$/.test(id)),
      ids,
    )
    assert.deepEqual(
      met.filter((id) => /^(0|58 )/.test(id)),
      [],
    )
    assert.ok(met.includes('12 after') && met.includes('later than 12'))
  })
}

export function record(id: string, createdAt: string, document: StoredRecord['document'] = {}) {
  return { id, document, createdAt }
}

export function changeOf(id: string, version: number, document: StoredRecord['document'] = {}) {
  return { id, version, document, updatedAt: later }
}

async function fill(records: Records, ids: readonly string[]): Promise<void> {
  for (const id of ids) await records.create('users', record(id, noon))
}

interface Walk {
  limit: number
  afterPage?: (last: Position) => Promise<void>
}

async function walk(records: Records, { limit, afterPage }: Walk): Promise<string[]> {
  const met: string[] = []
  let last: Position | undefined
  for (;;) {
    const page = await records.listAfter('users', last, limit)
    assert.ok(page.length <= limit)
    last = page.at(-1)
    if (last === undefined) return met
    met.push(...idsOf(page))
    // What comes later all the time would make the walk endless.
    if (met.length < 40) await afterPage?.(last)
  }
}

export function idsOf(records: readonly StoredRecord[]): string[] {
  return records.map(({ id }) => id)
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
