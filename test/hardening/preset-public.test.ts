import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { asFile, asJson, openClient } from '../support/client.ts'
import { startVitrine } from '../support/start-vitrine.ts'

/** Without load shedding, since the speed of the machine must not affect the tests. */
async function startPublic(t: TestContext, settings: Record<string, string> = {}) {
  const quiet = { LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: 'off' }
  const { origin } = await startVitrine(t, { PRESET: 'public', ...quiet, ...settings })
  return openClient(t, origin)
}

const limit = { timeout: 300_000 }

test(
  'with PRESET=public 300 requests in a minute are accepted, and the next are not',
  limit,
  async (t) => {
    const send = await startPublic(t)
    for (let index = 0; index < 320; index += 1) {
      const { status, headers } = await send('/mirror/query')
      assert.equal(status, index < 300 ? 200 : 429, String(index))
      assert.equal(headers['ratelimit-policy'], '"default";q=300;w=60')
    }
    assert.equal((await send('/health')).status, 200)
  },
)

test('with PRESET=public logins, bodies and uploads have their limits', limit, async (t) => {
  const send = await startPublic(t)
  const login = asJson('POST', { username: 'nobody', password: 'x' })
  for (let index = 0; index < 10; index += 1) {
    assert.equal((await send('/login', login)).status, 401, String(index))
  }
  assert.equal((await send('/login', login)).status, 429)
  const large = asJson('POST', { name: 'x'.repeat(65_536) })
  assert.equal((await send('/users/post', large)).status, 413)
  assert.equal((await send('/profile', asFile(Buffer.alloc(1024 ** 2 + 1)))).status, 413)
  assert.equal((await send('/profile', asFile(Buffer.alloc(1024 ** 2)))).status, 200)
})

test('an explicit setting overrides the preset', limit, async (t) => {
  const send = await startPublic(t, { RATE_LIMIT: '5', MAX_RECORDS: '1', LOGIN_RATE_LIMIT: 'off' })
  const statuses = []
  for (const name of ['Rome', 'Oslo']) {
    statuses.push((await send('/places', asJson('POST', { name }))).status)
  }
  for (let index = 0; index < 4; index += 1) statuses.push((await send('/mirror/query')).status)
  assert.deepEqual(statuses, [201, 507, 200, 200, 200, 429])
})

test('the preset without its rate limit has the other limits', limit, async (t) => {
  const send = await startPublic(t, { RATE_LIMIT: 'off' })
  for (let index = 0; index < 310; index += 1) {
    const { status, headers } = await send('/mirror/query')
    assert.equal(status, 200, String(index))
    assert.equal(headers.ratelimit, undefined)
  }
})
