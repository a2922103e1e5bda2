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
      const shown = masked.split(mask).map((one) => RegExp.escape(one))
      assert.match(source, new RegExp(`^${shown.join('[abc]{80,}')}$`))
    }),
  )
})

test('each of many secrets is found, the longer of two that begin alike', () => {
  const secrets = Array.from({ length: 100 }, (_, index) => `secret-${String(index)}`)
  const text = secrets.map((one) => `<${one}>`).join('shown')
  assert.equal(maskEcho(text, secrets), secrets.map(() => `<${mask}>`).join('shown'))
})
