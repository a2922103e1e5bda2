import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { findFreePort } from '../support/free-port.ts'
import {
  findOrigin,
  projectFolder,
  settingsIn,
  spawnVitrine,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { ended, get, limit, openConnection, startInFolder, traceExit } from '../support/stopping.ts'

/** Throws in the turn of the event loop in which the response to `/health?crash` ends. */
const crash = `import { subscribe } from 'node:diagnostics_channel'
subscribe('http.server.response.finish', ({ request }) => {
  if (request.url.includes('crash')) process.nextTick(() => { throw new Error('a bug') })
})`

test('an uncaught exception loses no line of the log', limit, async (t) => {
  const folder = await temporaryFolder(t)
  const started = spawnVitrine({
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    FILES_URL: `file:${folder}`,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(crash)}`,
  })
  const connection = await openConnection(t, await findOrigin(started))
  connection.write(get('/topic') + get('/health?crash'))
  if (started.process.exitCode === null) await once(started.process, 'close')
  assert.equal(started.process.exitCode, 1)
  const output = started.output()
  assert.match(output, /"path":"\/topic".*"msg":"request completed"}\n/)
  assert.match(output, /"path":"\/health".*"msg":"request completed"}\n/)
  assert.match(output, /Error: a bug/)
})

test('a log whose reader pauses loses whole lines only', limit, async (t) => {
  const { origin, process: child } = await startInFolder(t, { LOG_LEVEL: 'info' })
  const { stdout } = child
  assert.ok(stdout)
  stdout.pause().removeAllListeners('data')
  const send = (path: string) => fetch(origin + path).then((response) => response.text())
  // Each line has the path; together they are more than a pipe holds.
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 50 }, () => send(`/${'x'.repeat(5000)}`)))
  }
  let written = ''
  stdout.on('data', (chunk: Buffer) => (written += chunk.toString())).resume()
  await until(async () => {
    await send('/topic')
    return written.includes('"path":"/topic"')
  })
  const lines = written.slice(0, written.lastIndexOf('\n')).split('\n')
  const parsed = lines.map((line) => JSON.parse(line) as { path: string })
  assert.ok(parsed.filter(({ path }) => path !== '/topic').length < 500)
})

const outputs = [
  ['a full disk', '> /dev/full'],
  ['a reader that has gone', '| true'],
] as const

for (const [title, redirection] of outputs) {
  test(`a log that goes to ${title} delays no response`, limit, async (t) => {
    const folder = await temporaryFolder(t)
    const port = String(await findFreePort())
    const command = `echo $$; exec 3>&1; { exec ${process.execPath} bin/vitrine.js; } ${redirection}`
    const child = spawn('bash', ['-c', command], {
      cwd: projectFolder,
      env: {
        PATH: process.env.PATH,
        PORT: port,
        ...settingsIn(folder),
        ...traceExit,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const signal = (name: NodeJS.Signals) => {
      process.kill(-Number(child.pid), name)
    }
    t.after(() => {
      if (child.exitCode === null && child.signalCode === null) signal('SIGKILL')
    })
    await once(child.stdout, 'data')
    const send = () => fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
    await until(async () => (await send())?.status === 200)
    for (let count = 0; count < 20; count += 1) assert.equal((await send())?.status, 200)
    signal('SIGTERM')
    await ended(child)
  })
}
