import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { changeOf, idsOf, later, lists, noon, range, record } from './lists.contract.ts'
import { namesakes } from './namesakes.contract.ts'
import { queries } from './queries.contract.ts'
import { allRecords, type Records } from './records.ts'
import { texts } from './texts.contract.ts'

/** Opens an empty store that closes itself when the test ends. */
export type OpenRecords = (t: TestContext) => Promise<Records>

/** The behaviour of every backend of records. */
export function recordsContract(name: string, open: OpenRecords): void {
  suite(`records in ${name}`, () => {
    oneRecord(open)
    documents(open)
    lists(open)
    races(open)
  })
}

/** What queries find on every backend: each is compiled for a backend once, wherever its database is. */
export function queriesContract(name: string, open: OpenRecords): void {
  suite(`queries in ${name}`, () => {
    namesakes(open)
    queries(open)
    texts(open)
  })
}

function oneRecord(open: OpenRecords): void {
  test('a created record is found unchanged, in version 1', async (t) => {
    const users = (await open(t)).collection('users')
    assert.equal(await users.create(record('a', noon, { name: 'Ann' })), true)
    assert.deepEqual(await users.find('a'), {
      id: 'a',
      document: { name: 'Ann' },
      version: 1,
      createdAt: noon,
      updatedAt: noon,
    })
  })

  test('the bytes of the database and of the files of a collection are measured', async (t) => {
    const { collection, measureDatabase, measureFiles } = await open(t)
    assert.equal(await measureFiles('users'), 0)
    for (const size of [7, 1_000_000_000_000])
      await collection('users').create(record(String(size), noon, { size }))
    await collection('others').create(record('a', noon, { size: 5 }))
    await collection('some-place/users').create(record('a', noon, { size: 90 }))
    assert.equal(await measureFiles('users'), 1_000_000_000_097)
    assert.ok((await measureDatabase()) >= 4096)
  })

  test('an unknown id is not found, changed or removed', async (t) => {
    const users = (await open(t)).collection('users')
    assert.equal(await users.find('a'), undefined)
    assert.equal(await users.change(changeOf('a', 1)), false)
    assert.equal(await users.remove('a'), false)
    assert.equal(await users.find('a'), undefined)
  })

  test('an id that is taken is rejected, and its record is unchanged', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon, { name: 'first' }))
    assert.equal(await users.create(record('a', later, { name: 'second' })), false)
    const stored = await users.find('a')
    assert.deepEqual(stored?.document, { name: 'first' })
    assert.equal(stored.createdAt, noon)
  })

  test('every change replaces the document and increments the version by one', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon, { name: 'Ann', note: 'goes' }))
    for (const version of [1, 2, 3]) {
      const change = { id: 'a', version, document: { name: String(version) }, updatedAt: later }
      assert.equal(await users.change(change), true)
      assert.deepEqual(await users.find('a'), {
        id: 'a',
        document: { name: String(version) },
        version: version + 1,
        createdAt: noon,
        updatedAt: later,
      })
    }
  })

  test('a change of a version that is not the current one is rejected and changes nothing', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon, { name: 'Ann' }))
    await users.change(changeOf('a', 1))
    const before = await users.find('a')
    for (const version of [0, 1, 3]) {
      assert.equal(await users.change(changeOf('a', version, { name: 'lost' })), false)
    }
    assert.deepEqual(await users.find('a'), before)
  })

  test('a removed record is not found, and its id is free for a new one of version 1', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon))
    await users.change(changeOf('a', 1))
    // Of the version that the caller names, where it names one.
    for (const version of [1, 3]) assert.equal(await users.remove('a', version), false)
    assert.equal(await users.remove('a', 2), true)
    assert.equal(await users.remove('a'), false)
    assert.equal(await users.find('a'), undefined)
    assert.equal(await users.change(changeOf('a', 2)), false)
    assert.equal(await users.create(record('a', later)), true)
    assert.equal((await users.find('a'))?.version, 1)
  })

  test('a clearing removes all records of a resource and nothing else, and counts them', async (t) => {
    const records = await open(t)
    const users = records.collection('users')
    assert.equal(await users.clear(), 0)
    for (let first = 0; first < 510; first += 30) {
      const ids = range(first, first + 29).map(String)
      await Promise.all(ids.map((id) => users.create(record(id, noon))))
    }
    await records.collection('locations').create(record('a', noon))
    const read = await users.find('5')
    assert.equal(await users.clear(), 510)
    assert.equal(read?.id, '5')
    assert.equal(await users.find('5'), undefined)
    assert.equal(await users.count(allRecords), 0)
    assert.deepEqual(await users.list(allRecords, { offset: 0, limit: 9 }), [])
    assert.equal(await records.collection('locations').count(allRecords), 1)
    assert.equal(await users.create(record('5', later)), true)
    assert.equal(await users.count(allRecords), 1)
  })

  test('the same id in two resources is two records', async (t) => {
    const records = await open(t)
    const users = records.collection('users')
    await users.create(record('a', noon, { of: 'users' }))
    assert.equal(
      await records.collection('locations').create(record('a', later, { of: 'locations' })),
      true,
    )
    await users.change(changeOf('a', 1, { of: 'users, changed' }))
    assert.deepEqual((await records.collection('locations').find('a'))?.document, {
      of: 'locations',
    })
    assert.deepEqual(
      idsOf(await records.collection('locations').list(allRecords, { offset: 0, limit: 9 })),
      ['a'],
    )
    await users.remove('a')
    assert.equal((await records.collection('locations').find('a'))?.version, 1)
  })

  test('ids that differ in letter case are two records', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon))
    assert.equal(await users.create(record('A', noon)), true)
    await users.remove('a')
    assert.equal((await users.find('A'))?.id, 'A')
  })
}

function documents(open: OpenRecords): void {
  const cases: Record<string, unknown> = {
    'no text at all': '',
    'letters of many scripts': 'é ß Ж 漢 한 ع ש ไทย',
    'characters outside the basic plane': '😀 𝒜 👨‍👩‍👧 \u{10ffff}',
    'letters with combining marks, not composed': 'e\u0301 n\u0303 \u1e9b\u0323',
    'every control character but U+0000': range(1, 0x9f).map(toCharacter).join(''),
    'line and paragraph separators, a byte order mark': '\u2028\u2029\ufeff\ufffd\ufffe\uffff',
    'quotes, backslashes and SQL': `'"\\\\u0000'; DROP TABLE records; -- $1 ? :a`,
    'long text': '漢'.repeat(100_000),
    numbers: [0, -1, 0.1, 1e-300, 1.7976931348623157e308, Number.MAX_SAFE_INTEGER, 5e-324],
    'truth values and null': [true, false, null],
    nesting: { a: [{ b: { c: [[], {}, [null, { d: 'e' }]] } }], '': 0, 'x.y': { 'a b': 1 } },
  }
  for (const [title, value] of Object.entries(cases)) {
    test(`a document is stored with ${title}`, async (t) => {
      const users = (await open(t)).collection('users')
      await users.create(record('a', noon, { value }))
      assert.deepEqual((await users.find('a'))?.document, { value })
      await users.change(changeOf('a', 1, { changed: value }))
      const [listed] = await users.list(allRecords, { offset: 0, limit: 1 })
      assert.deepEqual(listed?.document, { changed: value })
    })
  }
}

function races(open: OpenRecords): void {
  const racers = range(1, 20)

  test('of twenty concurrent changes of one version, one succeeds', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon))
    const outcomes = await Promise.all(
      racers.map((racer) => users.change(changeOf('a', 1, { racer }))),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    const stored = await users.find('a')
    assert.equal(stored?.version, 2)
    assert.deepEqual(stored.document, { racer: outcomes.indexOf(true) + 1 })
  })

  test('of twenty concurrent creations of one id, one succeeds', async (t) => {
    const users = (await open(t)).collection('users')
    const outcomes = await Promise.all(
      racers.map((racer) => users.create(record('a', noon, { racer }))),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    const stored = await users.find('a')
    assert.deepEqual(stored?.document, { racer: outcomes.indexOf(true) + 1 })
  })

  test('of twenty concurrent removals of one record, one succeeds', async (t) => {
    const users = (await open(t)).collection('users')
    await users.create(record('a', noon))
    const outcomes = await Promise.all(racers.map(() => users.remove('a')))
    assert.equal(outcomes.filter(Boolean).length, 1)
  })
}

function toCharacter(code: number): string {
  return String.fromCodePoint(code)
}
