import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMisspelled } from '../../src/config/config.ts'
import { failedStart } from '../support/failed-start.ts'
import { words } from '../support/words.ts'

const misspelled: readonly [name: string, meant: string | undefined][] = [
  ['PRESETS', 'PRESET'],
  ['MAX_BODY_SIZE', 'MAX_BODY_BYTES'],
  ['MAX_DURATION', 'MAX_DURATION_SECONDS'],
  ['RATELIMIT', 'RATE_LIMIT'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['TRUST_PROXY', 'TRUSTED_PROXIES'],
  ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
  ['ALLOWED_HOST', 'ALLOWED_HOSTS'],
  ['DATABASE_URL_FILE', 'DATABASE_URL'],
  ['VITRINE_PRESET', 'PRESET'],
  ['MAX_BODY_BYTES', undefined],
  ...words`HOME HOSTNAME HOSTTYPE PATH PWD LOGNAME USER TERM PORT HOST NODE_OPTIONS NODE_ENV`.map(
    (name) => [name, undefined] satisfies [string, undefined],
  ),
]
for (const [name, meant] of misspelled) {
  test(`the variable ${name} ${meant ? `is taken for ${meant}` : 'causes no warning'}`, () => {
    const expected = `${name} is not a setting and is ignored. Did you mean ${meant ?? ''}?`
    assert.deepEqual(findMisspelled({ [name]: 'a' }), meant ? [expected] : [])
  })
}

for (const flags of [[], ['backup', 'a.backup'], ['reset']]) {
  test(`vitrine ${flags[0] ?? ''} that fails names a misspelled variable first`, async (t) => {
    const settings = { DATABASE_ULR: 'a', DATABASE_URL: 'sqlite:/proc/none/vitrine.db' }
    const { status, lines } = await failedStart(t, settings, flags)
    assert.notEqual(status, 0)
    const hint = 'vitrine: DATABASE_ULR is not a setting and is ignored. Did you mean DATABASE_URL?'
    assert.equal(lines[0], hint)
  })
}
