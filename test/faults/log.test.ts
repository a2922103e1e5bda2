import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFreePort } from '../../src/operations/free-port.ts'
import { projectFolder, temporaryFolder } from '../start-vitrine.ts'
import { until } from '../until.ts'
import { ended, limit, traceExit } from './stopping.ts'

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
        DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}`,
        FILES_URL: `file:${join(folder, 'files')}`,
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
