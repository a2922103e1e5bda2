import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { keptChanges } from '../../config/limits.ts'
import type { OpenTwice } from './commit.contract.ts'
import type { ChangePart, Records } from './records.ts'

const noon = '2026-01-01T12:00:00.000Z'

async function openLogged(t: TestContext, open: OpenTwice) {
  const [records, others] = await open(t)
  for (const each of [records, others]) await each.changes.start('posts')
  const { last } = await records.changes.read('posts')
  return { records, others, first: last }
}

const create = (records: Records, id: string, document = {}) =>
  records.collection('posts').create({ id, document, createdAt: noon })

const toTexts = ({ changes }: ChangePart) => changes.map(({ kind, id }) => `${kind} ${id}`)

/** The log of changes, in every backend. */
export function changesContract(name: string, open: OpenTwice): void {
  suite(`the log of changes in ${name}`, () => {
    writes(open)
    gaps(open)
    wakeUps(open)
  })
}

function writes(open: OpenTwice): void {
  test('each write that succeeds is logged with the record, and read by another process', async (t) => {
    const { records, others, first } = await openLogged(t, open)
    const posts = records.collection('posts')
    const change = { id: 'a', version: 1, document: { n: 2 }, updatedAt: noon }
    assert.equal(await create(records, 'a', { n: 1 }), true)
    assert.equal(await create(records, 'a', { n: 9 }), false)
    assert.equal(await posts.change(change), true)
    assert.equal(await posts.change(change), false)
    assert.equal(await posts.remove('a', 1), false)
    assert.equal(await posts.remove('a'), true)
    const { changes, last, hasGap } = await others.changes.read('posts', first)
    assert.deepEqual([last, hasGap], [first + 3, false])
    const times = { createdAt: noon, updatedAt: noon }
    assert.deepEqual(changes, [
      {
        number: first + 1,
        kind: 'created',
        id: 'a',
        record: { id: 'a', document: { n: 1 }, version: 1, ...times },
      },
      {
        number: first + 2,
        kind: 'changed',
        id: 'a',
        record: { id: 'a', document: { n: 2 }, version: 2, ...times },
      },
      { number: first + 3, kind: 'deleted', id: 'a', record: undefined },
    ])
  })

  test('the document of a private collection is not in the log, but read with the record', async (t) => {
    const [records, others] = await open(t)
    for (const each of [records, others]) await each.changes.start('~posts')
    const { last: first } = await records.changes.read('~posts')
    const posts = records.collection('~posts')
    await posts.create({ id: 'a', document: { n: 1 }, createdAt: noon })
    const { changes } = await others.changes.read('~posts', first)
    assert.deepEqual(changes[0]?.record?.document, { n: 1 })
    await posts.remove('a')
    const after = await others.changes.read('~posts', first)
    assert.deepEqual(toTexts(after), ['created a', 'deleted a'])
    assert.ok(after.changes.every(({ record }) => record === undefined))
  })

  test('a write of several records is logged as a whole, or not', async (t) => {
    const { records, first } = await openLogged(t, open)
    const created = (id: string) => ({ id, document: {}, createdAt: noon })
    const step = {
      collection: 'posts',
      kind: 'create',
      records: [created('a'), created('b')],
    } as const
    const missing = { collection: 'posts', kind: 'exist', ids: ['unknown'] } as const
    assert.equal(await records.commit([step, missing]), 1)
    assert.deepEqual(await records.changes.read('posts', first), {
      changes: [],
      last: first,
      hasGap: false,
    })
    await records.commit([step, { collection: 'posts', kind: 'remove', records: [{ id: 'a' }] }])
    const part = await records.changes.read('posts', first)
    assert.deepEqual(toTexts(part), ['created a', 'created b', 'deleted a'])
  })

  test('writes of another collection are not logged', async (t) => {
    const { records, first } = await openLogged(t, open)
    await records.collection('users').create({ id: 'a', document: {}, createdAt: noon })
    assert.equal((await records.changes.read('posts')).last, first)
    assert.equal((await records.changes.read('users', 0)).changes.length, 0)
  })

  test('concurrent writes of two processes have consecutive numbers, in the order of their commits', async (t) => {
    const { records, others, first } = await openLogged(t, open)
    const ids = Array.from({ length: 60 }, (_, index) => String(index))
    const seen: number[] = []
    let position = first
    const reading = (async () => {
      while (seen.length < ids.length) {
        const part = await others.changes.read('posts', position)
        assert.equal(part.hasGap, false)
        seen.push(...part.changes.map(({ number }) => number))
        position = part.last
        await setTimeout(1)
      }
    })()
    const writing = ids.map((id, index) => create(index % 2 === 0 ? records : others, id))
    await Promise.all([reading, ...writing])
    assert.deepEqual(
      seen,
      ids.map((_, index) => first + 1 + index),
    )
  })
}

function gaps(open: OpenTwice): void {
  test(`the last ${String(keptChanges)} changes are kept; before them there is a gap`, async (t) => {
    const { records, first } = await openLogged(t, open)
    const all = Array.from({ length: keptChanges + 20 }, (_, index) => String(index))
    for (let start = 0; start < all.length; start += 20) {
      const ids = all.slice(start, start + 20)
      await Promise.all(ids.map((id) => create(records, id)))
    }
    const newest = first + all.length
    let { last, hasGap } = await records.changes.read('posts', newest - keptChanges)
    for (let count = 1; last < newest; count += 1) {
      assert.ok(count < 100 && !hasGap)
      ;({ last, hasGap } = await records.changes.read('posts', last))
    }
    for (const after of [first, newest + 1, -1, 0]) {
      const part = await records.changes.read('posts', after)
      assert.deepEqual(part, { changes: [], last: newest, hasGap: true })
    }
  })

  test('large records are read in parts', async (t) => {
    const { records, first } = await openLogged(t, open)
    for (const id of ['a', 'b', 'c', 'd']) await create(records, id, { text: 'x'.repeat(50_000) })
    const part = await records.changes.read('posts', first)
    assert.deepEqual(toTexts(part), ['created a', 'created b'])
    assert.deepEqual(toTexts(await records.changes.read('posts', part.last)), [
      ...['created c', 'created d'],
    ])
  })

  test('records that are replaced or cleared leave a gap', async (t) => {
    const { records, others, first } = await openLogged(t, open)
    await create(records, 'a')
    const posts = records.collection('posts')
    const replace = { collection: 'posts', kind: 'replace' } as const
    const created = ['b', 'c'].map((id) => ({ id, document: {}, createdAt: noon }))
    assert.equal(await records.commit([{ ...replace, records: created }]), undefined)
    assert.deepEqual([await posts.count(), await posts.find('a')], [2, undefined])
    const { hasGap, last } = await others.changes.read('posts', first + 1)
    assert.deepEqual([hasGap, last], [true, first + 2])
    assert.equal(await records.commit([{ ...replace, records: [] }]), undefined)
    assert.equal(await records.commit([{ ...replace, records: [] }]), undefined)
    assert.equal(await posts.count(), 0)
    await create(others, 'd')
    await posts.clear()
    assert.equal((await others.changes.read('posts', last)).hasGap, true)
  })
}

function wakeUps(open: OpenTwice): void {
  test('all that wait are woken by a change of either process, until they stop', async (t) => {
    const { records, others } = await openLogged(t, open)
    for (const [index, writer] of [records, others].entries()) {
      const woken = [records, records, others].map(({ changes }) => {
        const { promise, resolve } = Promise.withResolvers<undefined>()
        return {
          promise,
          stop: changes.watch(() => {
            resolve(undefined)
          }),
        }
      })
      await create(writer, String(index))
      await Promise.all(woken.map(({ promise }) => promise))
      for (const { stop } of woken) stop()
    }
  })
}
