import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { projectFolder } from './start-vitrine.ts'

/** Runs a test file that needs a program where there is none, as `npm test` would. */
function runWithout(
  file: string,
  settings: Record<string, string> = {},
): Promise<[code: number, out: string]> {
  const flags = ['--test', '--test-reporter=./test/reporter.ts']
  const env = { PATH: '', ...settings }
  return new Promise((resolve) => {
    const options = { cwd: projectFolder, env }
    execFile(process.execPath, [...flags, file], options, (error, stdout) => {
      resolve([error ? 1 : 0, stdout])
    })
  })
}

const cases = [
  {
    file: 'test/browser/keyboard.test.ts',
    line: /\nSkipped 2: there is no Chromium.*CHROMIUM_PATH\.\n$/,
    required: 'REQUIRE_BROWSER',
  },
  {
    file: 'test/faults/redis.test.ts',
    line: /\nSkipped 1: there is no Redis here; install .*\.\n$/,
    required: 'REQUIRE_REDIS',
  },
]
for (const { file, line, required } of cases) {
  test(`${file} is skipped without its program, and the last line says so`, async () => {
    const [code, output] = await runWithout(file)
    assert.equal(code, 0, output)
    assert.match(output, line)
  })

  test(`${file} fails without its program where there is ${required}`, async () => {
    const [code, output] = await runWithout(file, { [required]: '1' })
    assert.equal(code, 1, output)
    assert.match(output, new RegExp(`${required} is set: there is no`))
  })
}
