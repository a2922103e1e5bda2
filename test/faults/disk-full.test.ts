import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { runFailing, runSucceeding } from '../support/data-folder.ts'
import { failedStart } from '../support/failed-start.ts'
import {
  findOrigin,
  settingsIn,
  spawnVitrine,
  startVitrine,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asFile, asJson, listOf, openClient, type Send } from '../support/client.ts'
import { limitFileSize, remount, smallDisk } from './small-disk.ts'
import { limit, startInFolder } from '../support/stopping.ts'

const user = { username: 'ann', password: 'a password' }
/** The one of the database of version 0.2. */
const upload = 'ty1FE7ef2TZ7cBPwBk6bQg'
const note = 'n'.repeat(2000)

async function start(t: TestContext, settings: Record<string, string>) {
  const vitrine = await startInFolder(t, settings)
  const send = openClient(t, vitrine.origin)
  await send('/users', asJson('POST', { name: user.username, password: user.password }))
  await send('/locations/first', asJson('PUT', { name: 'first' }))
  return { ...vitrine, send }
}

function create(send: Send, id: string) {
  return send(`/locations/${id}`, asJson('PUT', { name: id, note }))
}

/** Creates locations until one is rejected; returns the ids of the others. */
async function createUntilFull(send: Send) {
  const ids = ['first']
  for (;;) {
    const id = `filler-${String(ids.length)}`
    const { status, text } = await create(send, id)
    if (status !== 201) {
      assertFull(status, text)
      return { ids, status }
    }
    ids.push(id)
  }
}

/** 507, or 503 where the system reported only that writing failed; without details. */
function assertFull(status: number, text: string): void {
  assert.ok(status === 507 || status === 503, `${String(status)}: ${text}`)
  assert.doesNotMatch(text, /ENOSPC|EFBIG|SQL|\/tmp|vitrine\.db/)
}

/** Checks that exactly the acknowledged records exist, undamaged. */
async function assertWhole(send: Send, path: string, ids: readonly string[]): Promise<void> {
  const locations = await listOf<{ _id: string }>(send, '/locations')
  assert.deepEqual(locations.map(({ _id }) => _id).toSorted(), [...ids].toSorted())
  const database = new DatabaseSync(path, { readOnly: true })
  const { integrity_check: result } = database.prepare('PRAGMA integrity_check').get() ?? {}
  database.close()
  assert.equal(result, 'ok')
}

/** Every kind of write on a full disk: it is rejected, and leaves nothing. */
async function assertAllFail(send: Send, filesFolder: string): Promise<void> {
  const writes = {
    create: ['/locations', asJson('POST', { name: 'Rome', note })],
    put: ['/locations/oslo', asJson('PUT', { name: 'Oslo', note })],
    patch: ['/locations/first', asJson('PATCH', { note })],
    login: ['/login', asJson('POST', user)],
    upload: ['/profile', asFile(Buffer.from('glass'))],
  } as const
  const wrong: string[] = []
  for (const [name, [path, request]] of Object.entries(writes)) {
    // A small one may still fit into an existing page.
    for (let again = 1; again <= 30; again += 1) {
      const { status, text } = await send(path, request)
      if (status !== 507 && status !== 503 && status >= 400) {
        wrong.push(`${name}: ${String(status)} ${text}`)
      }
    }
  }
  assert.deepEqual([...new Set(wrong)], [])
  const kept = (await listOf<{ _id: string }>(send, '/uploads')).map(({ _id }) => _id).toSorted()
  assert.deepEqual((await readdir(filesFolder)).toSorted(), kept)
}

test(
  'with a full disk under the database, writes get 507 until there is space',
  limit,
  async (t) => {
    const disk = await smallDisk(t, '2m')
    if (disk === undefined) return
    const ballast = join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(1_000_000))
    const path = join(disk, 'vitrine.db')
    const { send, process: child } = await start(t, { DATABASE_URL: `sqlite:${path}` })
    const { ids, status } = await createUntilFull(send)
    assert.equal(status, 507)
    t.diagnostic(`${String(ids.length)} locations fitted`)
    await assertWhole(send, path, ids)
    assert.equal((await send('/locations/first')).status, 200)
    await rm(ballast)
    assert.equal((await create(send, 'after')).status, 201)
    await assertWhole(send, path, [...ids, 'after'])
    assert.equal(child.exitCode, null)
  },
)

test('with a full disk under the database, no write leaves anything', limit, async (t) => {
  const disk = await smallDisk(t, '1m')
  if (disk === undefined) return
  const path = join(disk, 'vitrine.db')
  const { send, filesFolder } = await start(t, { DATABASE_URL: `sqlite:${path}` })
  await createUntilFull(send)
  await assertAllFail(send, filesFolder)
  assert.equal((await send('/health')).status, 200)
})

test('with a full disk under the files, uploads get 507 until there is space', limit, async (t) => {
  const disk = await smallDisk(t, '1m')
  if (disk === undefined) return
  const folder = join(disk, 'files')
  const { send } = await start(t, { FILES_URL: `file:${folder}` })
  const ballast = join(disk, 'ballast')
  await writeFile(ballast, Buffer.alloc(500_000))
  const large = asFile(Buffer.alloc(700_000, 'g'))
  assert.equal((await send('/profile', asFile(Buffer.alloc(100_000, 's')))).status, 200)
  const before = await readdir(folder)
  const { status, text } = await send('/profile', large)
  assert.deepEqual(await readdir(folder), before)
  assert.equal((await listOf(send, '/uploads')).length, 1)
  assert.equal((await send('/locations', asJson('POST', { name: 'Rome' }))).status, 201)
  await rm(ballast)
  assert.equal((await send('/profile', large)).status, 200)
  assert.equal(status, 507, text)
})

test(
  'a limit on file size has the effect of a full disk, for the files and the database',
  limit,
  async (t) => {
    const { send, process: child, filesFolder, folder } = await start(t, {})
    if (!(await limitFileSize(t, child.pid, 400_000))) return
    const large = asFile(Buffer.alloc(700_000, 'g'))
    const upload = await send('/profile', large)
    assert.deepEqual(await readdir(filesFolder), [])
    const { ids } = await createUntilFull(send)
    const path = join(folder, 'vitrine.db')
    await assertWhole(send, path, ids)
    await limitFileSize(t, child.pid)
    assert.equal((await create(send, 'after')).status, 201)
    assert.equal((await send('/profile', large)).status, 200)
    await assertWhole(send, path, [...ids, 'after'])
    assert.equal((await readdir(filesFolder)).length, 1)
    assert.equal(child.exitCode, null)
    assertFull(upload.status, upload.text)
  },
)

test('with a read-only disk under the files, uploads get 503', limit, async (t) => {
  const disk = await smallDisk(t, '1m')
  if (disk === undefined) return
  const { send } = await start(t, { FILES_URL: `file:${disk}` })
  const small = asFile(Buffer.from('glass'))
  await remount(disk, 'ro')
  const { status, text, headers } = await send('/profile', small)
  await remount(disk, 'rw')
  assert.equal((await send('/profile', small)).status, 200)
  assert.equal((await readdir(disk)).length, 1)
  assert.equal(status, 503, text)
  assert.match(headers['retry-after'] ?? '', /^\d+$/)
})

test(
  'on a full disk the service starts and serves, and a reset frees the disk',
  limit,
  async (t) => {
    const disk = await smallDisk(t, '2m')
    if (disk === undefined) return
    const settings = {
      DATABASE_URL: `sqlite:${join(disk, 'vitrine.db')}`,
      FILES_URL: `file:${join(disk, 'files')}`,
      LOG_LEVEL: 'warn',
    }
    const first = await start(t, settings)
    const { ids } = await createUntilFull(first.send)
    const services = { folder: disk, settings }
    assert.match(await runFailing(services, 'reset'), /in use: stop the service first$/)
    first.process.kill('SIGTERM')
    await once(first.process, 'exit')
    const second = await startVitrine(t, settings)
    let written = ''
    second.process.stdout?.on('data', (chunk: Buffer) => (written += chunk.toString()))
    const send = openClient(t, second.origin)
    assert.equal((await send('/locations/first')).status, 200)
    assert.equal((await listOf(send, '/locations')).length, ids.length)
    assertFull(...(await statusAndText(create(send, 'more'))))
    await until(() => written.endsWith('\n'))
    assert.match(written, /^[^\n]*"level":40[^\n]*"msg":"the storage is full: [^"]*"}\n$/)
    second.process.kill('SIGKILL')
    await once(second.process, 'exit')
    assert.match(
      await runSucceeding(services, 'reset'),
      /^Removed the database and all uploads \(the disk was full\) from /,
    )
    const third = openClient(t, (await startVitrine(t, settings)).origin)
    assert.deepEqual(await listOf(third, '/locations'), [])
    assert.equal((await create(third, 'after')).status, 201)
  },
)

test('a reset frees a disk that a database of version 0.2 fills', limit, async (t) => {
  const disk = await smallDisk(t, '2m')
  if (disk === undefined) return
  const settings = {
    DATABASE_URL: `sqlite:${join(disk, 'vitrine.db')}`,
    FILES_URL: `file:${join(disk, 'files')}`,
  }
  await mkdir(join(disk, 'files'))
  await writeFile(join(disk, 'files', upload), 'glass\n')
  const database = new DatabaseSync(join(disk, 'vitrine.db'))
  database.exec(await readFile(new URL('../database-of-0.2.0.sql', import.meta.url), 'utf8'))
  database.exec(
    `PRAGMA journal_mode = WAL;
     INSERT INTO records SELECT 'locations', 'filler', '{"name":"' || hex(zeroblob(400000)) || '"}', 1, 'now', 'now'`,
  )
  database.close()
  await assert.rejects(writeFile(join(disk, 'filler'), Buffer.alloc(2 * 1024 ** 2)), {
    code: 'ENOSPC',
  })
  assert.match(
    await runSucceeding({ folder: disk, settings }, 'reset'),
    /^Removed the database and all uploads \(the disk was full\) from /,
  )
  assert.deepEqual(await readdir(join(disk, 'files')), [])
  const send = openClient(t, (await startVitrine(t, settings)).origin)
  assert.deepEqual(await listOf(send, '/locations'), [])
})

test(
  'a list that cannot be sorted for want of space gets 503 before its first record',
  limit,
  async (t) => {
    const disk = await smallDisk(t, '256k')
    if (disk === undefined) return
    const folder = await temporaryFolder(t)
    await runSucceeding({ folder, settings: settingsIn(folder) }, 'seed', '60000')
    const settings = { ...settingsIn(folder), SQLITE_TMPDIR: disk, LOG_LEVEL: 'info' }
    const started = spawnVitrine({ PORT: '0', ...settings })
    t.after(() => started.process.kill('SIGKILL'))
    const origin = await findOrigin(started)
    const response = await fetch(`${origin}/locations.ndjson?sort=note`)
    assert.equal(response.status, 503)
    assert.doesNotMatch(await response.text(), /disk|SQL/)
    assert.match(
      started.output(),
      /no space for sorting in the temporary folder, which SQLITE_TMPDIR/,
    )
    assert.equal((await fetch(`${origin}/locations?per_page=1`)).status, 200)
  },
)

test('a start without space for its database has the exit code of a temporary failure', async (t) => {
  const disk = await smallDisk(t, '16k')
  if (disk === undefined) return
  const { status, output } = await failedStart(t, {
    DATABASE_URL: `sqlite:${join(disk, 'vitrine.db')}`,
    FILES_URL: `file:${join(disk, 'files')}`,
  })
  assert.match(output, /cannot start: .* cannot be opened: /)
  assert.equal(status, 69)
})

test('a reset beside the service removes the uploads that fill the disk', limit, async (t) => {
  const disk = await smallDisk(t, '2m')
  if (disk === undefined) return
  const folder = join(disk, 'files')
  const settings = {
    DATABASE_URL: `sqlite:${join(disk, 'vitrine.db')}`,
    FILES_URL: `file:${folder}`,
  }
  const { send } = await start(t, settings)
  for (const bytes of [100_000, 1000]) {
    while ((await send('/profile', asFile(Buffer.alloc(bytes, 's')))).status === 200);
  }
  const output = await runSucceeding({ folder: disk, settings }, 'reset')
  assert.match(output, /^Removed 1 user, 1 location, \d+ uploads from .*\nA running service /)
  assert.deepEqual(await readdir(folder), [])
  assert.equal((await create(send, 'after')).status, 201)
})

async function statusAndText(response: ReturnType<typeof create>) {
  const { status, text } = await response
  return [status, text] as const
}
