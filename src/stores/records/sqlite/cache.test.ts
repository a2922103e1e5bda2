import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { noon, openRecords, temporaryFile } from '../../../../test/support/sqlite-records.ts'

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
