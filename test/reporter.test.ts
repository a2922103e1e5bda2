import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { projectFolder } from './start-vitrine.ts'

/** Runs a test file that needs a browser where there is none, as `npm test` would. */
function runWithoutBrowser(settings: Record<string, string>): Promise<[code: number, out: string]> {
  const flags = ['--test', '--test-reporter=./test/reporter.ts']
  const env = { PATH: '', ...settings }
  return new Promise((resolve) => {
    const options = { cwd: projectFolder, env }
    execFile(
      process.execPath,
      [...flags, 'test/browser/keyboard.test.ts'],
      options,
      (error, stdout) => {
        resolve([error ? 1 : 0, stdout])
      },
    )
  })
}

test('without a browser its tests are skipped, and the last line says so', async () => {
  const [code, output] = await runWithoutBrowser({})
  assert.equal(code, 0, output)
  assert.match(output, /\nSkipped 2: there is no Chromium.*CHROMIUM_PATH\.\n$/)
})

test('where a browser is required, being without one is a failure', async () => {
  const [code, output] = await runWithoutBrowser({ REQUIRE_BROWSER: '1' })
  assert.equal(code, 1, output)
  assert.match(output, /there is no Chromium/)
})
