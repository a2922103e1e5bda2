import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { asFile, openClient } from './support/client.ts'
import {
  findOrigin,
  projectFolder,
  spawnProgram,
  temporaryFolder,
} from './support/start-vitrine.ts'

const onPosix = { skip: process.platform === 'win32' }

/** A start of `bin/vitrine.js` with the umask that most systems have. */
function start(t: TestContext, folder: string, ...args: readonly string[]) {
  const script = `umask 022 && exec '${process.execPath}' '${projectFolder}bin/vitrine.js' "$@"`
  const env = { PATH: process.env.PATH, PORT: '0' }
  const started = spawnProgram('sh', ['-c', script, 'vitrine', ...args], { cwd: folder, env })
  t.after(() => started.process.kill('SIGKILL'))
  return started
}

async function run(t: TestContext, folder: string, ...args: readonly string[]): Promise<void> {
  const { process: child, output } = start(t, folder, ...args)
  await once(child, 'close')
  assert.equal(child.exitCode, 0, output())
}

async function modeOf(...path: readonly string[]): Promise<string> {
  return ((await stat(join(...path))).mode & 0o777).toString(8)
}

async function upload(t: TestContext, origin: string): Promise<string> {
  const { text } = await openClient(t, origin)('/profile', asFile(Buffer.from('glass')))
  return (JSON.parse(text) as { _id: string })._id
}

test('stored files can be opened by their owner only', onPosix, async (t) => {
  const folder = await temporaryFolder(t)
  const started = start(t, folder)
  const id = await upload(t, await findOrigin(started))
  assert.equal(await modeOf(folder, 'data'), '700')
  assert.equal(await modeOf(folder, 'data/files'), '700')
  for (const name of ['vitrine.db', 'vitrine.db-wal', 'vitrine.db-shm', `files/${id}`]) {
    await t.test(name, async () => {
      assert.equal(await modeOf(folder, 'data', name), '600')
    })
  }
  assert.doesNotMatch(started.output(), /can read/)
  await run(t, folder, 'backup', 'all.backup')
  assert.equal(await modeOf(folder, 'all.backup'), '600')
  const restored = ['--database-url', 'sqlite:new/vitrine.db', '--files-url', 'file:new/files']
  await run(t, folder, 'restore', 'all.backup', ...restored)
  assert.equal(await modeOf(folder, 'new'), '700')
  assert.equal(await modeOf(folder, 'new/vitrine.db'), '600')
  assert.equal(await modeOf(folder, 'new/files', id), '600')
})

test('a warning names existing files that others can open', onPosix, async (t) => {
  const folder = await temporaryFolder(t)
  const path = (name: string) => join(folder, name)
  await mkdir(path('data/files'), { recursive: true })
  new DatabaseSync(path('data/vitrine.db')).close()
  for (const name of ['data', 'data/files']) await chmod(path(name), 0o755)
  await chmod(path('data/vitrine.db'), 0o640)
  const started = start(t, folder)
  await findOrigin(started)
  const warnings = started.output().match(/^vitrine: .*$/gm)
  assert.deepEqual(warnings?.toSorted(), [
    'vitrine: warning: other users can read data (mode 0755). Run: chmod 700 data',
    'vitrine: warning: other users can read data/files (mode 0755). Run: chmod 700 data/files',
    'vitrine: warning: other users can read data/vitrine.db (mode 0640). Run: chmod 600 data/vitrine.db',
    'vitrine: warning: other users can read data/vitrine.db-shm (mode 0640). Run: chmod 600 data/vitrine.db-shm',
    'vitrine: warning: other users can read data/vitrine.db-wal (mode 0640). Run: chmod 600 data/vitrine.db-wal',
  ])
})

test('no warning names the working directory or a folder for everyone', onPosix, async (t) => {
  const folder = await temporaryFolder(t)
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'shared'))
  await chmod(join(folder, 'shared'), 0o1777)
  for (const databaseUrl of ['sqlite:here.db', 'sqlite:shared/there.db']) {
    await t.test(databaseUrl, async () => {
      const started = start(t, folder, '--database-url', databaseUrl)
      await findOrigin(started)
      assert.doesNotMatch(started.output(), /can read/)
    })
  }
})
