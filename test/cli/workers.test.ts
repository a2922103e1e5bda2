import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedStart } from '../support/failed-start.ts'

const otherWorkers: readonly [settings: Record<string, string>, flags: string[], given: string][] =
  [
    [{ WORKERS: '2' }, [], '2'],
    [{ WORKERS: '0' }, [], '0'],
    [{ WORKERS: '1' }, ['--workers', 'auto'], 'auto'],
    [{}, ['--workers=01'], '01'],
  ]
for (const [settings, flags, given] of otherWorkers) {
  test(`${JSON.stringify(settings)} ${flags.join(' ')} names the page about several instances`, async (t) => {
    const { status, lines } = await failedStart(t, settings, flags)
    assert.equal(status, 2)
    const page = '(docs/scaling.md says how to start several instances)'
    assert.deepEqual(lines, [`vitrine: WORKERS must be 1 ${page}; it is "${given}"`])
  })
}
