import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { changeOf, idsOf, later, lists, noon, range, record } from './lists.contract.ts'
import { namesakes } from './namesakes.contract.ts'
import { queries } from './queries.contract.ts'
import { allRecords, type Records } from './records.ts'
import { texts } from './texts.contract.ts'

/** Opens an empty store that closes itself when the test ends. */
export type OpenRecords = (t: TestContext) => Promise<Records>

/** What every backend of the records does. */
export function recordsContract(name: string, open: OpenRecords): void {
  suite(`records in ${name}`, () => {
    oneRecord(open)
    documents(open)
    lists(open)
    namesakes(open)
    queries(open)
    texts(open)
    races(open)
  })
}

function oneRecord(open: OpenRecords): void {
  test('a created record is found as it was given, in version 1', async (t) => {
    const records = await open(t)
    assert.equal(await records.create('users', record('a', noon, { name: 'Ann' })), true)
    assert.deepEqual(await records.find('users', 'a'), {
      id: 'a',
      document: { name: 'Ann' },
      version: 1,
      createdAt: noon,
      updatedAt: noon,
    })
  })

  test('an id that was never created is not found, changed or removed', async (t) => {
    const records = await open(t)
    assert.equal(await records.find('users', 'a'), undefined)
    assert.equal(await records.change('users', changeOf('a', 1)), false)
    assert.equal(await records.remove('users', 'a'), false)
    assert.equal(await records.find('users', 'a'), undefined)
  })

  test('a taken id is refused and the record that has it stays as it was', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon, { name: 'first' }))
    assert.equal(await records.create('users', record('a', later, { name: 'second' })), false)
    const stored = await records.find('users', 'a')
    assert.deepEqual(stored?.document, { name: 'first' })
    assert.equal(stored.createdAt, noon)
  })

  test('every change replaces the document and raises the version by one', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon, { name: 'Ann', note: 'goes' }))
    for (const version of [1, 2, 3]) {
      const change = { id: 'a', version, document: { name: String(version) }, updatedAt: later }
      assert.equal(await records.change('users', change), true)
      assert.deepEqual(await records.find('users', 'a'), {
        id: 'a',
        document: { name: String(version) },
        version: version + 1,
        createdAt: noon,
        updatedAt: later,
      })
    }
  })

  test('a change of a version that is not the current one is refused and changes nothing', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon, { name: 'Ann' }))
    await records.change('users', changeOf('a', 1))
    const before = await records.find('users', 'a')
    for (const version of [0, 1, 3]) {
      assert.equal(await records.change('users', changeOf('a', version, { name: 'lost' })), false)
    }
    assert.deepEqual(await records.find('users', 'a'), before)
  })

  test('a removed record is gone, and its id is free for a new one of version 1', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon))
    await records.change('users', changeOf('a', 1))
    // Of the version that the caller names, where it names one.
    for (const version of [1, 3]) assert.equal(await records.remove('users', 'a', version), false)
    assert.equal(await records.remove('users', 'a', 2), true)
    assert.equal(await records.remove('users', 'a'), false)
    assert.equal(await records.find('users', 'a'), undefined)
    assert.equal(await records.change('users', changeOf('a', 2)), false)
    assert.equal(await records.create('users', record('a', later)), true)
    assert.equal((await records.find('users', 'a'))?.version, 1)
  })

  test('a clearing removes all of a resource and nothing else, and says how many', async (t) => {
    const records = await open(t)
    assert.equal(await records.clear('users'), 0)
    for (let first = 0; first < 510; first += 30) {
      const ids = range(first, first + 29).map(String)
      await Promise.all(ids.map((id) => records.create('users', record(id, noon))))
    }
    await records.create('locations', record('a', noon))
    const read = await records.find('users', '5')
    const state = records.state()
    assert.equal(await records.clear('users'), 510)
    if (state !== undefined) assert.notEqual(records.state(), state)
    assert.equal(read?.id, '5')
    assert.equal(await records.find('users', '5'), undefined)
    assert.equal(await records.count('users', allRecords), 0)
    assert.deepEqual(await records.list('users', allRecords, { offset: 0, limit: 9 }), [])
    assert.equal(await records.count('locations', allRecords), 1)
    assert.equal(await records.create('users', record('5', later)), true)
    assert.equal(await records.count('users', allRecords), 1)
  })

  test('the same id in two resources is two records', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon, { of: 'users' }))
    assert.equal(await records.create('locations', record('a', later, { of: 'locations' })), true)
    await records.change('users', changeOf('a', 1, { of: 'users, changed' }))
    assert.deepEqual((await records.find('locations', 'a'))?.document, { of: 'locations' })
    assert.deepEqual(idsOf(await records.list('locations', allRecords, { offset: 0, limit: 9 })), [
      'a',
    ])
    await records.remove('users', 'a')
    assert.equal((await records.find('locations', 'a'))?.version, 1)
  })

  test('ids that differ in letter case are two records', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon))
    assert.equal(await records.create('users', record('A', noon)), true)
    await records.remove('users', 'a')
    assert.equal((await records.find('users', 'A'))?.id, 'A')
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
    'quotes, backslashes and what looks like SQL': `'"\\\\u0000'; DROP TABLE records; -- $1 ? :a`,
    'long text': '漢'.repeat(100_000),
    numbers: [0, -1, 0.1, 1e-300, 1.7976931348623157e308, Number.MAX_SAFE_INTEGER, 5e-324],
    'truth values and null': [true, false, null],
    nesting: { a: [{ b: { c: [[], {}, [null, { d: 'e' }]] } }], '': 0, 'x.y': { 'a b': 1 } },
  }
  for (const [title, value] of Object.entries(cases)) {
    test(`a document keeps ${title}`, async (t) => {
      const records = await open(t)
      await records.create('users', record('a', noon, { value }))
      assert.deepEqual((await records.find('users', 'a'))?.document, { value })
      await records.change('users', changeOf('a', 1, { changed: value }))
      const [listed] = await records.list('users', allRecords, { offset: 0, limit: 1 })
      assert.deepEqual(listed?.document, { changed: value })
    })
  }
}

function races(open: OpenRecords): void {
  const racers = range(1, 20)

  test('of twenty changes of one version at once, one wins', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon))
    const outcomes = await Promise.all(
      racers.map((racer) => records.change('users', changeOf('a', 1, { racer }))),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    const stored = await records.find('users', 'a')
    assert.equal(stored?.version, 2)
    assert.deepEqual(stored.document, { racer: outcomes.indexOf(true) + 1 })
  })

  test('of twenty creations of one id at once, one wins', async (t) => {
    const records = await open(t)
    const outcomes = await Promise.all(
      racers.map((racer) => records.create('users', record('a', noon, { racer }))),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    const stored = await records.find('users', 'a')
    assert.deepEqual(stored?.document, { racer: outcomes.indexOf(true) + 1 })
  })

  test('of twenty removals of one record at once, one removes it', async (t) => {
    const records = await open(t)
    await records.create('users', record('a', noon))
    const outcomes = await Promise.all(racers.map(() => records.remove('users', 'a')))
    assert.equal(outcomes.filter(Boolean).length, 1)
  })
}

function toCharacter(code: number): string {
  return String.fromCodePoint(code)
}
