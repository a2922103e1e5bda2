import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../test/exchanges.ts'
import { toExchangeEvents } from './exchange-events.ts'

test('what a viewer has missed is sent in parts, so that other requests are handled in between', async () => {
  const exchanges = Array.from({ length: 45 }, (_, index) => exchange({ id: String(index) }))
  const source = toExchangeEvents({
    watch: () => () => undefined,
    load: async () => Promise.resolve({ exchanges, missed: 0 }),
    toValue: ({ id }) => id,
  })
  const { read } = await source.start()
  const parts = [await read(), await read(), await read(), await read()]
  const counts = parts.map((text) => text?.match(/^event: exchange$/gm)?.length)
  assert.deepEqual(counts, [20, 20, 5, undefined])
})
