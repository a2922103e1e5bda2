import fc from 'fast-check'
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { maskEcho } from './mask-echo.ts'
import { mask } from '../../exchanges/exchange.ts'

/** Its parts are repeated, so that a search has to go back. */
const secret = 'aab'.repeat(90) + 'aac'

test('a long secret is found wherever it is, and only parts of it are masked', () => {
  const part = fc
    .tuple(fc.nat(secret.length), fc.nat(3))
    .map(([end, start]) => secret.slice(start, end))
  const text = fc.array(fc.oneof(part, fc.constant(secret), fc.constantFrom('a', 'b', 'c', 'd')))
  fc.assert(
    fc.property(text, (parts) => {
      const source = parts.join('')
      const masked = maskEcho(source, [secret])
      assert.ok(!masked.includes(secret))
      // A regular expression of the shown texts would backtrack for minutes.
      let end = -80
      for (const shown of masked.split(mask)) {
        const start = source.indexOf(shown, end + 80)
        assert.ok(end < 0 ? start === 0 : start !== -1, masked)
        end = start + shown.length
      }
      assert.ok(source.endsWith(masked.split(mask).at(-1) ?? ''))
    }),
  )
})

test('each of many secrets is found, the longer of two that begin alike', () => {
  const secrets = Array.from({ length: 100 }, (_, index) => `secret-${String(index)}`)
  const text = secrets.map((one) => `<${one}>`).join('shown')
  assert.equal(maskEcho(text, secrets), secrets.map(() => `<${mask}>`).join('shown'))
})
