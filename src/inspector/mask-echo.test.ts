import fc from 'fast-check'
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { maskEcho } from './mask-echo.ts'
import { mask } from './mask.ts'

/** Its parts are repeated, so that a search has to go back. */
const secret = 'aab'.repeat(90) + 'aac'

test('a long secret is found wherever it is', () => {
  const part = fc
    .tuple(fc.nat(secret.length), fc.nat(3))
    .map(([end, start]) => secret.slice(start, end))
  const text = fc.array(fc.oneof(part, fc.constant(secret), fc.constantFrom('a', 'b', 'c')))
  fc.assert(
    fc.property(text, (parts) => {
      assert.equal(maskEcho(parts.join(''), [secret]), parts.join('').replaceAll(secret, mask))
    }),
  )
})
