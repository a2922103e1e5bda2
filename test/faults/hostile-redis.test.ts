import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { openRedisDatabase } from '../../src/stores/redis/database.ts'
import { openEvents } from '../support/event-stream.ts'
import { startRedis, withRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { asJson, openClient, toCookie } from '../support/client.ts'
import { limit, startInFolder } from '../support/stopping.ts'

const user = { username: 'ann', password: 'a password' }

async function startWithRedis(t: TestContext, flags: readonly string[] = []) {
  const server = await startRedis(flags)
  t.after(server.kill)
  const { redis, close } = await openRedisDatabase(server.url)
  t.after(close)
  const vitrine = await startInFolder(t, { REDIS_URL: server.url, LOG_LEVEL: 'warn' })
  let log = ''
  vitrine.process.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  return { ...vitrine, redis, send: openClient(t, vitrine.origin), readLog: () => log }
}

type Client = Awaited<ReturnType<typeof startWithRedis>>['redis']

/** Responds to every question of a process as another process would. */
async function forgeResponses(t: TestContext, redis: Client, value: string): Promise<void> {
  const subscriber = redis.duplicate()
  t.after(() => {
    subscriber.disconnect()
  })
  await subscriber.connect()
  await subscriber.psubscribe('vitrine:exchanges:*')
  subscriber.on('pmessage', (_pattern: string, channel: string, message: string) => {
    const [asker = '', id] = message.split(' ')
    if (/^[\da-f-]{36}$/.test(id ?? ''))
      void redis.publish(`${channel}:${asker}`, `${id ?? ''} ${value}`)
  })
}

const forged = [
  '5',
  '{}',
  '[null]',
  '[{}]',
  '[{"summaries":null}]',
  '[{"processId":"a","next":1,"missed":0,"summaries":[{}]}]',
]

const otherValues = [
  null,
  true,
  5,
  1e308,
  '',
  'x',
  'a\r\nb: c',
  '\u0000',
  [],
  ['a'],
  {},
  { length: 5 },
]
const otherTimes = [
  'zzzz',
  '2026-13-01T00:00:00.000Z',
  '+099999-01-01T00:00:00.000Z',
  '9'.repeat(9999),
]

/** Each member with another value or without one, and texts that are not objects. */
function toForgedSessions(session: object, issue: object): string[] {
  const change = (of: object) =>
    Object.keys(of).flatMap((name) =>
      [undefined, ...otherValues, ...otherTimes].map((value) => ({ ...of, [name]: value })),
    )
  const forged: unknown[] = [
    ...['text', 5, null, [], [session], {}],
    ...change(session),
    ...change(issue).map((one) => ({ ...session, issue: one })),
  ]
  return [...forged.map((one) => JSON.stringify(one)), '{"__proto__":{"userId":"a"}}']
}

suite('other clients of the same Redis', withRedis, () => {
  for (const value of forged) {
    test(`the inspector ignores the forged response ${value}`, limit, async (t) => {
      const { origin, send, redis, process: child } = await startWithRedis(t)
      const list = async () =>
        JSON.parse((await send('/inspector?path=/user')).text) as {
          exchanges: unknown[]
          scope: string
          silent: number
        }
      await until(async () => (await list()).scope === 'service')
      const stream = await openEvents(t, `${origin}/inspector/events?path=/user`)
      await forgeResponses(t, redis, value)
      await until(async () => (await list()).silent === 1)
      assert.equal((await send('/users')).status, 200)
      await until(async () => (await stream.next())?.name === 'exchange')
      assert.ok((await list()).exchanges.length > 0)
      for (const path of [
        '/inspector.har',
        '/inspector?request_id=e5c1f1c4-2a0e-4bb8-8d47-6f0a2f6f9f11',
      ])
        assert.equal((await send(path)).status, 200, path)
      assert.equal((await send('/inspector/a')).status, 404)
      assert.equal(child.exitCode, null)
    })
  }

  for (const damage of ['text', 'a list']) {
    test(`a session that was replaced by ${damage} is no session`, limit, async (t) => {
      const { send, redis } = await startWithRedis(t)
      await send('/users', asJson('POST', { name: user.username, password: user.password }))
      const cookie = toCookie(await send('/login', asJson('POST', user)))
      const [key = ''] = await redis.keys('vitrine:session:*')
      await redis.del(key)
      await (damage === 'text' ? redis.set(key, 'damaged{') : redis.lpush(key, 'a'))
      const { status: shown, text } = await send('/session', { headers: { cookie } })
      assert.deepEqual([shown, text.includes(user.username)], [200, false])
      assert.equal((await send('/session', { method: 'POST', headers: { cookie } })).status, 401)
      const login = asJson('POST', user)
      const again = await send('/login', { ...login, headers: { ...login.headers, cookie } })
      assert.equal(again.status, 200)
      const { status } = await send('/session', { headers: { cookie: toCookie(again) } })
      assert.equal(status, 200)
    })
  }

  test('a forged session is no session', limit, async (t) => {
    const { send, redis, readLog } = await startWithRedis(t)
    await send('/users', asJson('POST', { name: user.username, password: user.password }))
    const cookie = toCookie(await send('/login', asJson('POST', user)))
    const [key = ''] = await redis.keys('vitrine:session:*')
    const session = JSON.parse((await redis.get(key)) ?? '') as Record<string, unknown>
    const issue = session.issue as Record<string, unknown>
    for (const value of toForgedSessions(session, issue)) {
      await t.test(value.slice(0, 300), async () => {
        for (const [path, method] of [
          ['/session', 'GET'],
          ['/session', 'DELETE'],
          ['/session', 'POST'],
          ['/users', 'GET'],
        ] as const) {
          await redis.set(key, value)
          const { status } = await send(path, { method, headers: { cookie } })
          assert.ok(status < 500, `${method} ${path}: ${String(status)}`)
        }
      })
    }
    await redis.set(key, JSON.stringify(session))
    assert.equal((await send('/session', { headers: { cookie } })).status, 200)
    assert.doesNotMatch(readLog(), /"level":[56]0/)
  })

  test('a command that Redis does not know is logged without its arguments', limit, async (t) => {
    const { send, readLog } = await startWithRedis(t, ['--rename-command', 'SET', ''])
    await send('/users', asJson('POST', { name: user.username, password: user.password }))
    assert.equal((await send('/login', asJson('POST', user))).status, 503)
    await until(() => readLog().includes('unknown command'))
    assert.doesNotMatch(readLog(), /argon2/)
  })
})
