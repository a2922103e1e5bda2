import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../../../../test/support/start-vitrine.ts'
import { isFull } from '../../store-failure.ts'
import { openSqliteDatabase } from '../../sqlite/database.ts'
import { allRecords, isStorable, type Collection, type Filter } from '../records.ts'
import { changesContract } from '../changes.contract.ts'
import { commitContract, type OpenTwice } from '../commit.contract.ts'
import { queriesContract, recordsContract, type OpenRecords } from '../records.contract.ts'
import { capacityContract } from '../capacity.contract.ts'
import { statesContract } from '../../states/states.contract.ts'
import { createSqliteRecords } from './records.ts'

const noon = '2026-01-01T12:00:00.000Z'

function openRecords(t: TestContext, url: string) {
  const database = openSqliteDatabase(url)
  t.after(() => {
    if (database.isOpen) database.close()
  })
  const records = createSqliteRecords(database)
  return { records, users: records.collection('users'), database }
}

async function temporaryFile(t: TestContext): Promise<string> {
  return join(await temporaryFolder(t), 'records.db')
}

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
  return createSqliteRecords(database, maxRecords)
})

test('a file of the maximum size is opened, without an index that does not fit', async (t) => {
  const database = openSqliteDatabase(`sqlite:${await temporaryFile(t)}`, 'process', 1024 ** 2)
  t.after(() => {
    database.close()
  })
  const users = createSqliteRecords(database).collection('users')
  const document = { name: 'n'.repeat(2000) }
  const create = (index: number) => users.create({ id: String(index), document, createdAt: noon })
  let count = 0
  await assert.rejects(async () => {
    for (; await create(count); count += 1);
  }, isFull)
  await users.index(['name'])
  const sort = [{ field: 'name', isDescending: false }]
  assert.equal((await users.list({ filters: [], sort }, { offset: 0, limit: 1000 })).length, count)
  for (let index = 0; index < 100; index += 1) {
    assert.equal(await users.remove(String(index)), true)
  }
  for (let index = 0; index < 90; index += 1) assert.equal(await create(index), true)
})

test('a file over the maximum size is served, and does not grow', async (t) => {
  const file = await temporaryFile(t)
  const document = { name: 'n'.repeat(2000) }
  const first = openRecords(t, `sqlite:${file}`)
  const create = (users: Collection, index: number) =>
    users.create({ id: String(index), document, createdAt: noon })
  for (let index = 0; index < 1000; index += 1) await create(first.users, index)
  first.database.close()
  const { size } = await stat(file)
  const database = openSqliteDatabase(`sqlite:${file}`, 'process', 1024 ** 2)
  const users = createSqliteRecords(database).collection('users')
  assert.ok(await users.find('999'))
  await assert.rejects(async () => {
    for (let index = 1000; await create(users, index); index += 1);
  }, isFull)
  assert.equal(await users.remove('0'), true)
  database.close()
  assert.ok(size > 1024 ** 2 && (await stat(file)).size <= size)
})

test('two databases in memory share nothing', async (t) => {
  const one = openRecords(t, 'sqlite::memory:')
  const other = openRecords(t, 'sqlite::memory:')
  await one.users.create({ id: 'a', document: {}, createdAt: noon })
  assert.equal(await other.users.find('a'), undefined)
})

test('missing parent folders of the file are created', async (t) => {
  const url = `sqlite:${join(await temporaryFolder(t), 'not', 'there', 'yet', 'records.db')}`
  const { users } = openRecords(t, url)
  assert.equal(await users.create({ id: 'a', document: {}, createdAt: noon }), true)
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

const change = 'UPDATE records SET version = version + 1'
const damage = `const index = fs.openSync(file + '-shm', 'r+')
  fs.writeSync(index, Buffer.alloc(48), 0, 48, 0)
  fs.closeSync(index)`

const writes: [what: string, script: string, name?: string][] = [
  ['commits', `open().exec('${change}')`],
  ['commits after a checkpoint', `open().exec('PRAGMA wal_checkpoint; ${change}')`],
  ['commits, and copies the log', `open().exec('${change}; PRAGMA wal_checkpoint(FULL)')`],
  ['commits to a restarted log', `open().exec('PRAGMA wal_checkpoint(RESTART); ${change}')`],
  ['commits, and empties the log', `open().exec('${change}; PRAGMA wal_checkpoint(TRUNCATE)')`],
  [
    'commits, and closes the file',
    `const database = open(); database.exec('${change}'); database.close()`,
  ],
  ['recovers the log and commits', `${damage}; open().exec('${change}')`],
  ['commits, and damages the index of the log', `open().exec('${change}'); ${damage}`],
  ['commits to a file that is read by a link', `open().exec('${change}')`, 'link.db'],
]

for (const [what, script, name = 'records.db'] of writes) {
  test(`a cached record is read again when another process ${what}`, async (t) => {
    const file = await temporaryFile(t)
    if (name !== 'records.db') await symlink('records.db', join(file, '..', name))
    const { records } = openRecords(t, `sqlite:${join(file, '..', name)}`)
    const users = records.collection('users')
    await users.create({ id: 'a', document: {}, createdAt: noon })
    const open = `const file = ${JSON.stringify(file)}
      const open = () => new (require('node:sqlite').DatabaseSync)(file)`
    const crash = `process.kill(process.pid, 'SIGKILL')`
    for (const version of [1, 2, 3]) {
      for (let read = 0; read < 2; read += 1)
        assert.equal((await users.find('a'))?.version, version)
      const args = ['--eval', `${open}\n${script}\n${crash}`]
      assert.equal(spawnSync(process.execPath, args).signal, 'SIGKILL')
    }
    assert.equal((await users.find('a'))?.version, 4)
    await users.change({ id: 'a', version: 4, document: {}, updatedAt: noon })
    assert.equal((await users.find('a'))?.version, 5)
  })
}

test('the state of a collection changes with its writes and those of others, and not with more reads than are cached', async (t) => {
  const url = `sqlite:${await temporaryFile(t)}`
  const { users, records } = openRecords(t, url)
  for (let index = 0; index < 1100; index += 1) {
    await users.create({ id: String(index), document: {}, createdAt: noon })
  }
  const state = await users.state?.()
  for (let index = 0; index < 1100; index += 1) assert.ok(await users.find(String(index)))
  assert.equal(await users.state?.(), state)
  const others = records.collection('others')
  await others.create({ id: 'a', document: {}, createdAt: noon })
  await others.clear()
  assert.equal(await users.state?.(), state)
  const states = [state]
  const { users: foreign } = openRecords(t, url)
  for (const write of [() => users.remove('0'), () => foreign.remove('1'), users.clear]) {
    await write()
    states.push(await users.state?.())
  }
  assert.equal(new Set(states).size, states.length)
})

test('a record is cached, until 1,000 others have been read', async (t) => {
  const { users } = openRecords(t, `sqlite:${await temporaryFile(t)}`)
  const ids = Array.from({ length: 1001 }, (_, index) => String(index))
  for (const id of ids) await users.create({ id, document: {}, createdAt: noon })
  const first = await users.find('0')
  assert.equal(await users.find('0'), first)
  for (const id of ids) await users.find(id)
  assert.notEqual(await users.find('0'), first)
})

test('a database of a newer schema is rejected with a reason and not changed', async (t) => {
  const file = await temporaryFile(t)
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  assert.throws(() => openSqliteDatabase(`sqlite:${file}`), /newer Vitrine.*99/)
  const after = new DatabaseSync(file)
  t.after(() => {
    after.close()
  })
  assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, 99)
  assert.deepEqual(after.prepare('SELECT name FROM sqlite_schema').all(), [])
})

test('a file that is not a database is rejected with a reason and not changed', async (t) => {
  const file = await temporaryFile(t)
  const text = 'This is a letter and no database. '.repeat(100)
  await writeFile(file, text)
  assert.throws(() => openSqliteDatabase(`sqlite:${file}`), /not a database/)
  assert.equal(await readFile(file, 'utf8'), text)
})

test('a folder is rejected', async (t) => {
  const folder = await temporaryFolder(t)
  assert.throws(() => openSqliteDatabase(`sqlite:${folder}`), /unable to open/)
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

const openWithTheOthers = `
const { workerData, parentPort } = require('node:worker_threads')
const { module, urls, waiting, count } = workerData
const open = (openSqliteDatabase, url, round) => {
  if (Atomics.add(waiting, round, 1) + 1 === count) Atomics.notify(waiting, round)
  for (let seen; (seen = Atomics.load(waiting, round)) < count; ) Atomics.wait(waiting, round, seen)
  try {
    openSqliteDatabase(url).close()
    return 'open'
  } catch (error) {
    return String(error)
  }
}
import(module).then(({ openSqliteDatabase }) =>
  parentPort.postMessage(urls.map((url, round) => open(openSqliteDatabase, url, round))),
)`

test('connections that open a new file at the same moment all find it migrated', async (t) => {
  const module = new URL('../../sqlite/database.ts', import.meta.url).href
  const [count, rounds] = [8, 20]
  const folder = await temporaryFolder(t)
  const urls = Array.from({ length: rounds }, (_, round) => `sqlite:${folder}/${String(round)}.db`)
  const waiting = new Int32Array(new SharedArrayBuffer(4 * rounds))
  const outcomes = await Promise.all(
    Array.from({ length: count }, async () => {
      const workerData = { module, urls, waiting, count }
      const worker = new Worker(openWithTheOthers, { eval: true, workerData })
      const [opened] = (await once(worker, 'message')) as [string[]]
      return opened
    }),
  )
  for (const opened of outcomes) assert.deepEqual(opened, Array<string>(rounds).fill('open'))
  for (const url of urls) {
    const { users } = openRecords(t, url)
    assert.equal(await users.create({ id: 'a', document: {}, createdAt: noon }), true)
  }
})
