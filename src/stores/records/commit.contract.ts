import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { allRecords, type Filter, type Records, type WriteStep } from './records.ts'

/** Opens one empty database twice, as two processes do. */
export type OpenTwice = (t: TestContext) => Promise<readonly [Records, Records]>

const noon = '2026-01-01T12:00:00.000Z'

/** Writes of several records, in every backend. */
export function commitContract(name: string, open: OpenTwice): void {
  suite(`writes of several records in ${name}`, () => {
    steps(open)
    failures(open)
    races(open)
  })
}

const create = (collection: string, id: string, document = {}): WriteStep => ({
  collection,
  kind: 'create',
  records: [{ id, document, createdAt: noon }],
})
const change = (id: string, version: number, document = {}): WriteStep => ({
  collection: 'posts',
  kind: 'change',
  records: [{ id, version, document, updatedAt: noon }],
})
const remove = (collection: string, id: string, version?: number): WriteStep => ({
  collection,
  kind: 'remove',
  records: [{ id, version }],
})
const exist = (collection: string, ...ids: string[]): WriteStep => ({
  collection,
  kind: 'exist',
  ids,
})
const ofAuthor = (...values: string[]): Filter => ({ field: 'authorId', operator: 'eq', values })
const none = (collection: string, ...filters: Filter[]): WriteStep => ({
  collection,
  kind: 'none',
  filters,
})

function steps(open: OpenTwice): void {
  test('every step is done, in their order and in several collections', async (t) => {
    const [records] = await open(t)
    const [authors, posts] = [records.collection('authors'), records.collection('posts')]
    assert.equal(await records.commit([]), undefined)
    const outcome = await records.commit([
      create('authors', 'ann'),
      exist('authors', 'ann'),
      create('posts', '1', { authorId: 'ann' }),
      change('1', 1, { authorId: 'bob' }),
      none('posts', ofAuthor('ann')),
      remove('authors', 'ann', 1),
      none('authors'),
    ])
    assert.equal(outcome, undefined)
    assert.deepEqual(await posts.find('1'), {
      id: '1',
      document: { authorId: 'bob' },
      version: 2,
      createdAt: noon,
      updatedAt: noon,
    })
    assert.deepEqual([await authors.count(), await posts.count()], [0, 1])
  })

  test('one step can write many records, each in its version', async (t) => {
    const [records] = await open(t)
    const posts = records.collection('posts')
    const ids = Array.from({ length: 300 }, (_, index) => String(index))
    const all = ids.map((id) => ({ id, document: { id, "it's": '"{}\\,é' }, createdAt: noon }))
    assert.equal(
      await records.commit([{ collection: 'posts', kind: 'create', records: all }]),
      undefined,
    )
    await posts.change({ id: '7', version: 1, document: {}, updatedAt: noon })
    const versions = ids.map((id) => ({ id, version: id === '7' ? 2 : 1 }))
    const changes = versions.map((known) => ({
      ...known,
      document: { n: known.id },
      updatedAt: noon,
    }))
    const changed: WriteStep = { collection: 'posts', kind: 'change', records: changes }
    assert.equal(await records.commit([changed]), undefined)
    assert.equal(await records.commit([changed]), 0)
    assert.deepEqual((await posts.find('299'))?.document, { n: '299' })
    const known = versions.map(({ id, version }) => ({ id, version: version + 1 }))
    const removed: WriteStep = { collection: 'posts', kind: 'remove', records: known }
    assert.equal(await records.commit([exist('posts', ...ids), removed]), undefined)
    assert.equal(await posts.count(allRecords), 0)
    assert.deepEqual(await posts.list(allRecords, { offset: 0, limit: 9 }), [])
  })

  for (const indexed of [[], ['authorId']]) {
    test(`a condition finds every match, with ${String(indexed.length)} indexes`, async (t) => {
      const [records] = await open(t)
      const posts = records.collection('posts')
      await posts.index(indexed)
      for (const id of ['1', '2', '3'])
        await records.commit([create('posts', id, { authorId: `a${id}` })])
      const cases: [Filter[], boolean][] = [
        [[ofAuthor('a1')], false],
        [[ofAuthor('x', 'a3')], false],
        [[ofAuthor('x', 'y')], true],
        [[ofAuthor('a1'), { field: '_id', operator: 'ne', values: ['1'] }], true],
        [[ofAuthor('a1', 'a2'), { field: '_id', operator: 'ne', values: ['1'] }], false],
      ]
      for (const [filters, isMet] of cases)
        assert.equal(await records.commit([none('posts', ...filters)]), isMet ? undefined : 0)
    })
  }
}

const failing: Record<string, WriteStep> = {
  'a record is created whose id is taken': create('posts', 'old'),
  'a record is changed in another version': change('old', 1),
  'an unknown record is changed': change('unknown', 1),
  'a record is removed in another version': remove('posts', 'old', 7),
  'an unknown record is removed': remove('posts', 'unknown'),
  'one of the records does not exist': exist('posts', 'old', 'unknown'),
  'the record was removed by an earlier step': exist('posts', 'gone'),
  'a record matches': none('posts', ofAuthor('ann')),
  'a record matches that an earlier step created': none('posts', ofAuthor('bob')),
}

function failures(open: OpenTwice): void {
  for (const [title, step] of Object.entries(failing)) {
    test(`nothing is written if ${title}`, async (t) => {
      const [records] = await open(t)
      const posts = records.collection('posts')
      await records.commit([create('posts', 'old', { authorId: 'ann' }), create('posts', 'gone')])
      const before = await posts.list(allRecords, { offset: 0, limit: 9 })
      const steps = [
        create('posts', 'new', { authorId: 'bob' }),
        change('old', 1, { authorId: 'ann', changed: true }),
        remove('posts', 'gone'),
        step,
        create('authors', 'late'),
      ]
      // Beside other writes, which succeed.
      const [outcome, isCreated] = await Promise.all([
        records.commit(steps),
        records.collection('authors').create({ id: 'bob', document: {}, createdAt: noon }),
      ])
      assert.deepEqual([outcome, isCreated], [3, true])
      assert.deepEqual(await posts.list(allRecords, { offset: 0, limit: 9 }), before)
      assert.deepEqual(await posts.find('old'), before[1])
      assert.equal(await posts.count(), 2)
      assert.equal(await records.collection('authors').count(), 1)
    })
  }
}

const racers = Array.from({ length: 20 }, (_, index) => String(index))

function races(open: OpenTwice): void {
  for (const rule of ['restrict', 'cascade'])
    test(`no child is created beside the removal of its parent (${rule})`, async (t) => {
      const stores = await open(t)
      const [records] = stores
      for (let round = 0; round < 10; round += 1) {
        const parent = String(round)
        await records.commit([create('authors', parent)])
        const removal = async () => {
          const filters = [ofAuthor(parent)]
          const posts = stores[0].collection('posts')
          const children = await posts.list({ filters, sort: [] }, { offset: 0, limit: 99 })
          const removed: WriteStep = { collection: 'posts', kind: 'remove', records: children }
          const steps = rule === 'cascade' && children.length > 0 ? [removed] : []
          return stores[0].commit([remove('authors', parent), ...steps, none('posts', ...filters)])
        }
        const creation = (racer: string) =>
          stores[1].commit([
            exist('authors', parent),
            create('posts', `${parent}-${racer}`, { authorId: parent }),
          ])
        const [removed] = await Promise.all([
          creation('a').then(removal),
          ...racers.slice(0, 5).map(creation),
        ])
        const filters = [ofAuthor(parent)]
        const children = await records.collection('posts').count({ filters, sort: [] })
        const hasParent = (await records.collection('authors').find(parent)) !== undefined
        assert.equal(hasParent, removed !== undefined)
        assert.ok(hasParent || children === 0, `${String(children)} posts without an author`)
      }
    })

  test('of twenty concurrent writes with the same value, by two processes, one succeeds', async (t) => {
    const stores = await open(t)
    const outcomes = await Promise.all(
      racers.map((racer) =>
        stores[Number(racer) % 2 === 0 ? 0 : 1].commit([
          none('posts', ofAuthor('ann'), { field: '_id', operator: 'ne', values: [racer] }),
          create('posts', racer, { authorId: 'ann' }),
        ]),
      ),
    )
    assert.equal(outcomes.filter((failed) => failed === undefined).length, 1)
    assert.equal(await stores[0].collection('posts').count(), 1)
  })
}
