import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noon, openRecords, temporaryFile } from '../../../../test/support/sqlite-records.ts'
import { allRecords, isStorable, type Filter } from '../records.ts'
import { changesContract } from '../changes.contract.ts'
import { commitContract, type OpenTwice } from '../commit.contract.ts'
import { queriesContract, recordsContract, type OpenRecords } from '../records.contract.ts'
import { capacityContract } from '../capacity.contract.ts'
import { statesContract } from '../../states/states.contract.ts'
import { createSqliteRecords } from './records.ts'

const openMemory: OpenRecords = async (t) => openRecords(t, 'sqlite::memory:').records
recordsContract('SQLite in memory', openMemory)
queriesContract('SQLite in memory', openMemory)

const openFile: OpenRecords = async (t) =>
  openRecords(t, `sqlite:${await temporaryFile(t)}`).records
recordsContract('a SQLite file', openFile)
queriesContract('a SQLite file', openFile)

const openTwice: OpenTwice = async (t) => {
  const url = `sqlite:${await temporaryFile(t)}`
  return [openRecords(t, url).records, openRecords(t, url).records]
}
commitContract('a SQLite file', openTwice)
changesContract('a SQLite file', openTwice)
statesContract('a SQLite file', openTwice)

capacityContract('a SQLite file', async (t, maxRecords) => {
  const { database } = openRecords(t, `sqlite:${await temporaryFile(t)}`)
  return createSqliteRecords(database, { maxRecords })
})

test('a file that is opened again has all its records', async (t) => {
  const url = `sqlite:${await temporaryFile(t)}`
  const first = openRecords(t, url)
  await first.users.create({ id: 'a', document: { name: 'Ann' }, createdAt: noon })
  await first.users.create({ id: 'b', document: { name: 'Bea' }, createdAt: noon })
  await first.records
    .collection('locations')
    .create({ id: 'a', document: { n: 1 }, createdAt: noon })
  const change = { id: 'a', version: 1, document: { name: 'Anna' }, updatedAt: noon }
  await first.users.change(change)
  const expected = [
    await first.users.list(allRecords, { offset: 0, limit: 9 }),
    await first.records.collection('locations').list(allRecords, { offset: 0, limit: 9 }),
  ]
  first.database.close()

  const { records, users } = openRecords(t, url)
  assert.deepEqual(
    [
      await users.list(allRecords, { offset: 0, limit: 9 }),
      await records.collection('locations').list(allRecords, { offset: 0, limit: 9 }),
    ],
    expected,
  )
  assert.equal((await users.find('a'))?.version, 2)
})

test('one connection reads what another writes, and of concurrent changes of one version one succeeds', async (t) => {
  const url = `sqlite:${await temporaryFile(t)}`
  const { users: one } = openRecords(t, url)
  const { users: other } = openRecords(t, url)
  await one.create({ id: 'a', document: {}, createdAt: noon })
  assert.equal((await other.find('a'))?.version, 1)
  const changes = [one, other, one, other].map((users, racer) =>
    users.change({ id: 'a', version: 1, document: { racer }, updatedAt: noon }),
  )
  const outcomes = await Promise.all(changes)
  assert.equal(outcomes.filter(Boolean).length, 1)
  const found = await other.find('a')
  assert.deepEqual(found?.document, { racer: outcomes.indexOf(true) })
  assert.deepEqual(found, await one.find('a'))
})

const awkward = [
  'Straße', 'STRASSE', 'ẞ', 'İzmir', 'I', 'ı', 'ΣΑΣ', 'σας', 'Σ', 'ς', 'É', 'E\u0301', 'e\u0301', '😀É', '👩‍👩‍👧Ä',
  'A\0B', 'É\0Ö', '\0', 'x\ud800Y', 'Ä\udfffÖ', '\udc00', 'K', 'Å', 'ﬁ', 'ﬃX', 'ŉ', 'ǰ', 'Ǆ', 'ꭰ', 'Ꮿ', 'İ\0i', '"É"', '\\Ö',
  '', 'TRUE', 1e21, 1.5e-7, -0, 2 ** 60, true, false, null, ['É'], { É: 'É' },
] // prettier-ignore
const asText = (value: (typeof awkward)[number]) =>
  typeof value === 'object' ? undefined : String(value).toLowerCase()

test('texts of any letters match as those of JavaScript in lower case', async (t) => {
  const { users } = openRecords(t, 'sqlite::memory:')
  for (const [index, name] of awkward.entries()) {
    const document = { name, in: { É: [name], deep: name } }
    const id = `${String(index)} Ñ`
    await users.create({ id, document: index % 2 ? {} : document, createdAt: noon })
    if (index % 2) await users.change({ id, version: 1, document, updatedAt: noon })
  }
  const parts = [...awkward.map(asText), 'É', '\ufffd', 'ß', '😀', 'E+2', 'ru', '11529']
  for (const text of parts)
    for (const [operator, test] of Object.entries({
      contains: 'includes',
      startsWith: 'startsWith',
      endsWith: 'endsWith',
    } as const))
      for (const field of ['name', ['in', 'deep']] as const) {
        if (text === undefined || !isStorable(text)) continue
        const filters = [{ field, operator, values: [text] } as Filter]
        const expected = awkward.filter((value) => asText(value)?.[test](text.toLowerCase()))
        const found = await users.list({ filters, sort: [] }, { offset: 0, limit: 999 })
        const names = found.map(({ document }) => document.name)
        assert.deepEqual(
          new Set(names),
          new Set(expected.map((value) => (Object.is(value, -0) ? 0 : value))),
          `${operator} ${JSON.stringify(text)}`,
        )
      }
  const ofIds: Filter = { field: '_id', operator: 'endsWith', values: ['7 ñ'] }
  assert.equal(await users.count({ filters: [ofIds], sort: [] }), 4)
})
