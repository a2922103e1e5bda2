import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { until } from '../../../test/support/until.ts'
import type { Counters } from './counters.ts'

/** Opens empty counters with windows of this length. */
export type OpenCounters = (t: TestContext, windowMs: number) => Promise<Counters>

const minuteMs = 60_000

/** The behaviour of every backend of counters. */
export function countersContract(name: string, open: OpenCounters): void {
  suite(`counters in ${name}`, () => {
    test('the requests of a key are counted from one', async (t) => {
      const counters = await open(t, minuteMs)
      for (const expected of [1, 2, 3]) {
        assert.equal((await counters.add('ann')).requests, expected)
      }
    })

    test('each key is counted separately, whatever it is', async (t) => {
      const counters = await open(t, minuteMs)
      const keys = ['a', 'A', 'a ', '', '__proto__', 'constructor', 'é', '*', 'k'.repeat(1000)]
      for (const expected of [1, 2]) {
        for (const key of keys) assert.equal((await counters.add(key)).requests, expected, key)
      }
    })

    test('a window ends one window length after its first request, whatever comes in between', async (t) => {
      const counters = await open(t, minuteMs)
      let last = minuteMs
      for (let index = 0; index < 20; index += 1) {
        const { leftMs } = await counters.add('ann')
        assert.ok(leftMs > 0 && leftMs <= last, `${String(leftMs)} after ${String(last)}`)
        last = leftMs
      }
    })

    test('the first request after a window begins another', async (t) => {
      const counters = await open(t, 50)
      await counters.add('ann')
      await until(async () => (await counters.add('ann')).requests === 1)
    })

    test('twenty concurrent requests are all counted', async (t) => {
      const counters = await open(t, minuteMs)
      const counts = await Promise.all(Array.from({ length: 20 }, async () => counters.add('ann')))
      const requests = counts.map((count) => count.requests).toSorted((a, b) => a - b)
      assert.deepEqual(
        requests,
        Array.from({ length: 20 }, (_, index) => index + 1),
      )
    })
  })
}
