import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { startRedis, withRedis } from '../support/redis-server.ts'
import { temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asJson, openClient, toCookie, type Send } from '../support/client.ts'
import { assertFailsToStart } from './failing-start.ts'
import { limit, startInFolder } from '../support/stopping.ts'

const user = { username: 'ann', password: 'a password' }

/** The service with its sessions in Redis, and one user who is logged in. */
async function startWithRedis(t: TestContext) {
  const redis = await startRedis()
  t.after(redis.kill)
  const vitrine = await startInFolder(t, { REDIS_URL: redis.url, LOG_LEVEL: 'warn' })
  const send = openClient(t, vitrine.origin)
  await send('/users', asJson('POST', { name: user.username, password: user.password }))
  const cookie = toCookie(await send('/login', asJson('POST', user)))
  assert.equal(await whoIs(send, cookie), true)
  return { ...vitrine, redis, send, cookie }
}

async function whoIs(send: Send, cookie: string): Promise<boolean> {
  const { status, text } = await send('/session', { headers: { cookie } })
  assert.equal(status, 200, text)
  return (JSON.parse(text) as { authenticated: boolean }).authenticated
}

/** Pages and records succeed; requests that need the session get 503 without details. */
async function assertSessionsDown(t: TestContext, send: Send, cookie: string): Promise<void> {
  const headers = { cookie }
  const { headers: jsonHeaders, ...login } = asJson('POST', user)
  const requests = {
    'GET /session': { headers },
    'POST /session': { method: 'POST', headers },
    'POST /logout': { method: 'POST', headers },
    'POST /login': { ...login, headers: { ...jsonHeaders, ...headers } },
  }
  for (const [name, request] of Object.entries(requests)) {
    const askedAt = performance.now()
    const { status, text, headers } = await send(name.split(' ')[1] ?? '', request)
    t.diagnostic(`${name}: ${(performance.now() - askedAt).toFixed()} ms`)
    assert.equal(status, 503, `${name}: ${text}`)
    assert.match(headers['retry-after'] ?? '', /^\d+$/)
    assert.equal(headers['set-cookie'], undefined)
    assert.match(text, /The session storage \(Redis\) is temporarily unavailable\./)
    assert.doesNotMatch(text, /ECONN|writeable|timed out/i)
  }
  for (const path of ['/', '/login', '/session', '/users', '/health', '/mirror/query?a=1']) {
    const { status } = await send(path, { headers: { accept: 'text/html, */*;q=0.5' } })
    assert.equal(status, path === '/session' ? 302 : 200, path)
  }
  assert.equal((await send('/locations', asJson('POST', { name: 'Rome' }))).status, 201)
}

/** Repeats the request until it is no longer 503. */
async function healed(send: Send, cookie: string): Promise<void> {
  await until(async () => (await send('/session', { headers: { cookie } })).status !== 503)
}

suite('faults of Redis', withRedis, () => {
  test(
    'Redis killed: sessions get 503, all other requests succeed, and it recovers',
    limit,
    async (t) => {
      const { send, cookie, redis, process: child } = await startWithRedis(t)
      let [written, log] = ['', '']
      child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()))
      child.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()))
      for (let round = 1; round <= 3; round += 1) {
        await redis.kill()
        await assertSessionsDown(t, send, cookie)
        await redis.restart()
        await healed(send, cookie)
        // It is empty after the restart: users are logged out, and can log in again.
        assert.equal(await whoIs(send, cookie), false)
        assert.equal(await whoIs(send, toCookie(await send('/login', asJson('POST', user)))), true)
      }
      assert.equal(child.exitCode, null)
      await until(() => written.split('\n').length > 2 * 3)
      const [lost, found, ...others] = written.trimEnd().split('\n')
      assert.match(
        lost ?? '',
        /^vitrine: Redis is unavailable, so that sessions get 503 and rate limits/,
      )
      assert.equal(found, 'vitrine: Redis is available again')
      assert.equal(others.length, 4, written)
      assert.match(
        log,
        /The session storage \(Redis\) is temporarily unavailable\. Redis is not connected/,
      )
    },
  )

  test('Redis frozen: the same, and sessions continue afterwards', limit, async (t) => {
    const { send, cookie, redis, process: child } = await startWithRedis(t)
    redis.signal('SIGSTOP')
    await assertSessionsDown(t, send, cookie)
    redis.signal('SIGCONT')
    await healed(send, cookie)
    assert.equal(await whoIs(send, cookie), true)
    assert.equal(child.exitCode, null)
  })

  test(
    'a start while Redis is down or frozen prints it, serves, and recovers',
    limit,
    async (t) => {
      const redis = await startRedis()
      t.after(redis.kill)
      redis.signal('SIGSTOP')
      const { origin } = await startInFolder(t, { REDIS_URL: redis.url })
      const send = openClient(t, origin)
      assert.equal((await send('/users')).status, 200)
      const cookie = `session=${'a'.repeat(43)}`
      assert.equal((await send('/session', { headers: { cookie } })).status, 503)
      await redis.kill()
      assert.equal((await send('/session', { headers: { cookie } })).status, 503)
      await redis.restart()
      await healed(send, cookie)
      assert.equal(await whoIs(send, cookie), false)
    },
  )

  for (const [password, problem] of [
    [':wrong@', /REDIS_URL.*WRONGPASS/],
    ['', /REDIS_URL cannot be used: Redis requires a password \(NOAUTH\)$/],
  ] as const) {
    test(
      `the password “${password}” is rejected, and stops the start with one line`,
      limit,
      async (t) => {
        const { url, kill } = await startRedis(['--requirepass', 'secret'])
        t.after(kill)
        const folder = await temporaryFolder(t)
        const DATABASE_URL = `sqlite:${folder}/vitrine.db`
        const FILES_URL = `file:${folder}/files`
        const settings = { DATABASE_URL, FILES_URL, REDIS_URL: url.replace('//', `//${password}`) }
        assert.match(await assertFailsToStart(t, settings), problem)
      },
    )
  }

  test('a login on one replica is valid on the other, and so is a logout', limit, async (t) => {
    const { send, cookie, redis, folder, filesFolder } = await startWithRedis(t)
    const { origin } = await startInFolder(t, {
      DATABASE_URL: `sqlite:${folder}/vitrine.db`,
      FILES_URL: `file:${filesFolder}`,
      REDIS_URL: redis.url,
    })
    const sendOther = openClient(t, origin)
    assert.equal(await whoIs(sendOther, cookie), true)
    assert.equal((await sendOther('/logout', { method: 'POST', headers: { cookie } })).status, 200)
    for (const one of [send, sendOther]) assert.equal(await whoIs(one, cookie), false)
    // The sessions are nowhere else.
    const again = toCookie(await send('/login', asJson('POST', user)))
    await redis.kill()
    assert.equal((await sendOther('/session', { headers: { cookie: again } })).status, 503)
  })
})
