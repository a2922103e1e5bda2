import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMisspelled } from '../../src/config/config.ts'
import { words } from '../words.ts'

const misspelled: readonly [name: string, meant: string | undefined][] = [
  ['PRESETS', 'PRESET'],
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
