import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { failedStart } from '../support/failed-start.ts'
import { projectFolder, settingsIn, temporaryFolder } from '../support/start-vitrine.ts'

test('with --until-stdin-ends, a start without standard input prints the reason', async (t) => {
  const { output } = await failedStart(t, { DATABASE_URL: 'sqlite::memory:' }, [
    '--until-stdin-ends',
  ])
  assert.equal(output, 'vitrine: standard input ended during the start (--until-stdin-ends)\n')
})

for (const what of ['its standard input ends', 'it gets SIGTERM']) {
  test(`with --until-stdin-ends, the service stops when ${what}`, async (t) => {
    const folder = await temporaryFolder(t)
    const env = { PATH: process.env.PATH, PORT: '0', ...settingsIn(folder) }
    const args = ['bin/vitrine.js', '--until-stdin-ends', '--log-level=error']
    const child = spawn(process.execPath, args, { cwd: projectFolder, env })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const ended = once(child, 'exit')
    if (what === 'it gets SIGTERM') child.kill()
    else child.stdin.end()
    assert.deepEqual(await ended, [0, null])
  })
}

test('with --until-stdin-ends, standard input that ends while the service stops changes nothing', async (t) => {
  const folder = await temporaryFolder(t)
  const env = { PATH: process.env.PATH, PORT: '0', ...settingsIn(folder) }
  const args = ['bin/vitrine.js', '--until-stdin-ends', '--drain-seconds=1']
  const child = spawn(process.execPath, args, { cwd: projectFolder, env })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('Vitrine is listening')) child.kill()
    if (line.includes('stopping')) child.stdin.end()
  }
  assert.deepEqual(await ended, [0, null])
  assert.equal(output, '')
})
