import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { WebSocket } from 'ws'
import {
  findOrigin,
  projectFolder,
  spawnProgram,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { limit, startInFolder } from '../support/stopping.ts'

/** The service as a fresh start, with a folder of its own for what is temporary. */
async function startFresh(t: TestContext) {
  const TMPDIR = await temporaryFolder(t)
  const start = async () => {
    const args = ['bin/vitrine.js', '--fresh', '--port', '0']
    const env = { PATH: process.env.PATH, TMPDIR }
    const started = spawnProgram(process.execPath, args, { cwd: projectFolder, env })
    t.after(() => started.process.kill('SIGKILL'))
    await findOrigin(started)
    return started.process
  }
  return { start, folders: () => readdir(TMPDIR), TMPDIR }
}

for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) {
  test(
    `${signal} ends a fresh start with status 0, and its folder is removed`,
    limit,
    async (t) => {
      const { start, folders } = await startFresh(t)
      const child = await start()
      assert.equal((await folders()).length, 1)
      child.kill(signal)
      assert.deepEqual(await once(child, 'exit'), [0, null])
      assert.deepEqual(await folders(), [])
    },
  )
}

test(
  'a fresh start removes the folders of processes that have ended, and no others',
  limit,
  async (t) => {
    const { start, folders, TMPDIR } = await startFresh(t)
    const child = await start()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [dead = ''] = await folders()
    const kept = [
      `vitrine-fresh-${hostname()}-${String(process.pid)}-${randomUUID()}`,
      `vitrine-fresh-another-${hostname()}-${String(child.pid)}-${randomUUID()}`,
      // Of another machine, whose name begins as that of this one.
      `vitrine-fresh-${hostname()}-${String(child.pid)}-1-${randomUUID()}`,
      `vitrine-fresh-${hostname()}-${String(child.pid)}`,
      'vitrine-other',
    ]
    for (const name of kept) await mkdir(join(TMPDIR, name))
    await start()
    const found = await folders()
    assert.deepEqual(
      [kept.filter((name) => !found.includes(name)), found.includes(dead)],
      [[], false],
    )
  },
)

test('a service under nohup continues after SIGHUP', limit, async (t) => {
  // nohup opens it like this in place of a terminal.
  const input = await open('/dev/null', 'w')
  t.after(() => input.close())
  const { process: child, origin } = await startWithInput(t, input.fd)
  child.kill('SIGHUP')
  assert.equal((await fetch(`${origin}/health`)).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

async function startWithInput(t: TestContext, input: number) {
  const folder = await temporaryFolder(t)
  const args = ['bin/vitrine.js', '--fresh', '--port', '0']
  const env = { PATH: process.env.PATH, TMPDIR: folder }
  const child = spawn(process.execPath, args, {
    cwd: projectFolder,
    env,
    stdio: [input, 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let written = ''
  child.stdout?.on('data', (chunk: Buffer) => (written += chunk.toString()))
  return { process: child, origin: await findOrigin({ process: child, output: () => written }) }
}

test('a WebSocket is closed with 1001 when the process stops', limit, async (t) => {
  const { origin, process: child } = await startInFolder(t)
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/httpbin/websocket/echo`)
  await once(socket, 'open')
  child.kill('SIGTERM')
  assert.equal((await once(socket, 'close'))[0], 1001)
  if (child.exitCode === null) await once(child, 'exit')
  assert.equal(child.exitCode, 0)
})

for (const end of ['', '-wal', '-shm']) {
  test(`a start names the file that it cannot write: vitrine.db${end}`, limit, async (t) => {
    const folder = await temporaryFolder(t)
    // Root can write every file.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    await chmod(folder, 0o777)
    const file = join(folder, `vitrine.db${end}`)
    await writeFile(file, '')
    await chmod(file, 0o444)
    const env = { PATH: process.env.PATH, DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}` }
    const options = { cwd: projectFolder, env: { ...env, FILES_URL: `file:${folder}` }, ...user }
    const started = spawnProgram(process.execPath, ['bin/vitrine.js', '--port', '0'], options)
    await once(started.process, 'close')
    assert.equal(started.process.exitCode, 2)
    assert.ok(started.output().includes(`cannot read and write the file ${file}`), started.output())
  })
}
