import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { settingNames, toEnvironmentName } from '../src/config/settings.ts'
import { projectFolder } from './support/start-vitrine.ts'

test('npm run settings lists each setting, and only WORKERS is not read', async () => {
  const run = promisify(execFile)
  const { stdout } = await run('npm', ['run', '--silent', 'settings'], { cwd: projectFolder })
  const lines = stdout.trim().split('\n')
  assert.equal(lines.pop(), `${String(settingNames.length)} settings`)
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    settingNames.map(toEnvironmentName),
  )
  const unread = lines.filter((line) => line.endsWith(': only checked'))
  assert.deepEqual(
    unread.map((line) => line.split(' ')[0]),
    ['WORKERS'],
  )
})
