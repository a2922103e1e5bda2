import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import type { OpeningTest } from '../../test/support/test-app.ts'

const openPosts = (t: OpeningTest, settings: Record<string, string> = {}) =>
  dataApp(t, { posts: [] }, { settings: { JSON_SERVER: '0.17', ...settings } })

test('a response is delayed by DELAY_MS and _delay together', async (t) => {
  const app = await openPosts(t, { DELAY_MS: '60' })
  const start = performance.now()
  await app.inject('/posts?_delay=60')
  assert.ok(performance.now() - start >= 119)
})

test('_delay is at most MAX_DURATION_SECONDS', async (t) => {
  const app = await openPosts(t, { MAX_DURATION_SECONDS: '0.06' })
  const unlimited = await openPosts(t)
  const values = ['3600000', '3600000&_delay=3600000', 'Infinity', '1e300']
  const ended: string[] = []
  const send = async (to: FastifyInstance, value: string) => {
    const start = performance.now()
    const { statusCode } = await to.inject(`/posts?_delay=${value}`)
    ended.push(value)
    assert.equal(statusCode, 200)
    return performance.now() - start
  }
  const limited = values.map((value) => send(app, value))
  // The later timer of the two, however busy the machine is.
  await send(unlimited, '600')
  assert.deepEqual(ended.toSorted(), [...values, '600'].toSorted())
  // A timer can be a millisecond early.
  for (const milliseconds of await Promise.all(limited)) assert.ok(milliseconds >= 59)
})
