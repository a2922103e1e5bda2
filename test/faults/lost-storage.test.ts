import assert from 'node:assert/strict'
import { chmod, chown, copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { asFile, asJson, openClient } from '../support/client.ts'
import {
  findOrigin,
  projectFolder,
  settingsIn,
  spawnProgram,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { limit, startInFolder } from '../support/stopping.ts'

const losses: readonly [what: string, lose: (file: string) => Promise<void>][] = [
  ['removed', (file) => rm(file)],
  ['moved', (file) => rename(file, `${file}.moved`)],
  [
    'replaced by a copy',
    async (file) => {
      await copyFile(file, `${file}.copy`)
      await rename(`${file}.copy`, file)
    },
  ],
  [
    'removed with its log',
    (file) => Promise.all([rm(file), rm(`${file}-wal`)]).then(() => undefined),
  ],
  ['left without its log', (file) => rm(`${file}-wal`)],
  ['replaced by an empty file', (file) => rm(file).then(() => writeFile(file, ''))],
]
for (const [what, lose] of losses) {
  test(`a database that is ${what} while the service runs takes no write`, limit, async (t) => {
    const { origin, folder } = await startInFolder(t)
    const send = openClient(t, origin)
    const post = async () => (await send('/places', asJson('POST', { name: 'Pier' }))).status
    const isReady = async () => (await send('/health/ready')).status
    assert.deepEqual([await post(), await isReady()], [201, 200])
    await lose(join(folder, 'vitrine.db'))
    const writes = await Promise.all([post(), post(), post()])
    assert.deepEqual([...writes, await isReady()], [503, 503, 503, 503])
  })
}

test('a database that is put back takes writes again', limit, async (t) => {
  const { origin, folder } = await startInFolder(t)
  const send = openClient(t, origin)
  const post = async () => (await send('/places', asJson('POST', { name: 'Pier' }))).status
  const file = join(folder, 'vitrine.db')
  await rename(file, `${file}.moved`)
  assert.equal(await post(), 503)
  await rename(`${file}.moved`, file)
  assert.deepEqual([await post(), (await send('/health/ready')).status], [201, 200])
})

const folderLosses: readonly [what: string, lose: (folder: string) => Promise<void>][] = [
  ['moved', (folder) => rename(folder, `${folder}.moved`)],
  [
    'replaced by a file',
    (folder) => rename(folder, `${folder}.moved`).then(() => writeFile(folder, '')),
  ],
]
for (const [what, lose] of folderLosses) {
  test(`uploads get 503 and a warning while their folder is ${what}`, limit, async (t) => {
    const { origin, filesFolder, process: child } = await startInFolder(t, { LOG_LEVEL: 'warn' })
    let log = ''
    child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()))
    const send = openClient(t, origin)
    assert.equal((await send('/profile', asFile(Buffer.from('a')))).status, 200)
    const accept = { headers: { accept: 'application/json' } }
    const [upload] = JSON.parse((await send('/uploads', accept)).text) as { _id: string }[]
    const path = `/uploads/${upload?._id ?? ''}`
    await lose(filesFolder)
    const statuses = [
      (await send('/profile', asFile(Buffer.from('b')))).status,
      (await send(path)).status,
      (await send(path, { method: 'DELETE' })).status,
    ]
    assert.deepEqual(statuses, [503, 503, 503], log)
    assert.match(log, /"level":40.*file storage is temporarily unavailable/)
    assert.doesNotMatch(log, /"level":[56]0/)
    await rm(filesFolder, { force: true, recursive: true })
    await rename(`${filesFolder}.moved`, filesFolder)
    assert.equal((await send(path)).text, 'a')
    assert.equal((await readFile(join(filesFolder, upload?._id ?? ''))).toString(), 'a')
  })
}

test('uploads get 503 and a warning while their folder has the mode 000', limit, async (t) => {
  // Root can use a folder of any mode.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const folder = await temporaryFolder(t)
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid)
  const env = { PORT: '0', LOG_LEVEL: 'warn', ...settingsIn(folder) }
  const options = { cwd: projectFolder, env, ...user }
  const started = spawnProgram(process.execPath, ['bin/vitrine.js'], options)
  t.after(() => started.process.kill('SIGKILL'))
  const send = openClient(t, await findOrigin(started))
  const put = async () => (await send('/profile', asFile(Buffer.from('a')))).status
  assert.equal(await put(), 200)
  const list = async () =>
    JSON.parse((await send('/uploads', { headers: { accept: 'application/json' } })).text) as {
      _id: string
    }[]
  const [upload] = await list()
  const remove = async () =>
    (await send(`/uploads/${upload?._id ?? ''}`, { method: 'DELETE' })).status
  await chmod(join(folder, 'files'), 0o000)
  assert.deepEqual([await put(), await remove()], [503, 503])
  assert.deepEqual(await list(), [upload])
  assert.match(started.output(), /"level":40.*file storage is temporarily unavailable\. EACCES/)
  assert.doesNotMatch(started.output(), /"level":[56]0/)
  await chmod(join(folder, 'files'), 0o700)
  assert.deepEqual([await remove(), await put()], [204, 200])
})
