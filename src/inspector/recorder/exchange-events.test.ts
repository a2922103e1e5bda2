import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../test/support/exchanges.ts'
import { toParts } from './exchange-events.ts'

test('what a viewer has missed is sent in parts, so that other requests are handled in between', () => {
  const exchanges = Array.from({ length: 45 }, (_, index) => exchange({ id: String(index) }))
  const parts = toParts(exchanges, 1)
  assert.deepEqual(
    parts.map((part) => [part.exchanges.length, part.missed]),
    [
      [20, 1],
      [20, 0],
      [5, 0],
    ],
  )
  assert.deepEqual(
    parts.flatMap((part) => part.exchanges),
    exchanges,
  )
})
