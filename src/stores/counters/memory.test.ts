import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Count, Counters } from './counters.ts'
import { countersContract } from './counters.contract.ts'
import { createMemoryCounters } from './memory.ts'

countersContract('memory', async (_t, windowMs) => createMemoryCounters(windowMs))

const minuteMs = 60_000

/** Without a promise, as it comes. */
function add(counters: Counters, key: string): number {
  return (counters.add(key) as Count).requests
}

test('with too many windows the oldest is removed, however often it was used', () => {
  const counters = createMemoryCounters(minuteMs, 3)
  for (const key of ['a', 'b', 'c', 'a', 'a']) add(counters, key)
  add(counters, 'd')
  const results = ['b', 'c', 'd'].map((key) => add(counters, key))
  assert.deepEqual(results, [2, 2, 2])
  assert.equal(add(counters, 'a'), 1)
  assert.deepEqual(
    ['c', 'd', 'a'].map((key) => add(counters, key)),
    [3, 3, 2],
  )
})

test('the counters of a hundred thousand clients are held, and after as many more the first is removed', () => {
  const counters = createMemoryCounters(minuteMs)
  for (let index = 0; index < 100_000; index += 1) add(counters, String(index))
  assert.equal(add(counters, '0'), 2)
  assert.equal(add(counters, '99999'), 2)
  for (let index = 100_000; index < 300_000; index += 1) add(counters, String(index))
  assert.equal(add(counters, '0'), 1)
  assert.equal(add(counters, '299999'), 2)
})

test('a change of the system clock has no effect', (t) => {
  const counters = createMemoryCounters(minuteMs)
  add(counters, 'ann')
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 })
  assert.equal(add(counters, 'ann'), 2)
  t.mock.timers.setTime(0)
  assert.equal(add(counters, 'ann'), 3)
})
