import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectFolder } from '../support/start-vitrine.ts'
import { testApp, type OpeningTest } from '../support/test-app.ts'

async function open(t: OpeningTest, name: string) {
  const RESPONSES_FILE = join(projectFolder, 'docs/examples', name)
  return testApp(t, { settings: { DEMOS: 'mirror', RESPONSES_FILE } })
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

test('docs/examples/token-refresh.yaml makes a client refresh its token', async (t) => {
  const app = await open(t, 'token-refresh.yaml')
  const token = async (fields: Record<string, string>) => {
    const payload = new URLSearchParams(fields).toString()
    const response = await app.inject({ method: 'POST', url: '/token', headers: form, payload })
    return response.json<{ access_token: string; refresh_token: string; error: string }>()
  }
  const me = (authorization: string) => app.inject({ url: '/me', headers: { authorization } })
  const password = { grant_type: 'password', username: 'ann', password: 'secret' }
  const first = await token(password)
  const ofFirst: number[] = []
  for (let count = 0; count < 3; count += 1)
    ofFirst.push((await me(`Bearer ${first.access_token}`)).statusCode)
  assert.deepEqual(ofFirst, [200, 200, 401])
  const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token }
  const second = await token(refresh)
  assert.deepEqual((await me(`Bearer ${second.access_token}`)).json(), { name: 'Ann' })
  assert.equal((await token({ ...refresh, refresh_token: 'x' })).error, 'invalid_grant')
  assert.equal((await token({ ...password, password: 'x' })).error, 'invalid_grant')
  assert.equal((await token({ grant_type: 'x' })).error, 'unsupported_grant_type')
  assert.equal((await app.inject('/me')).headers['www-authenticate'], 'Bearer')
})

test('docs/examples/payments.yaml has the outcomes of payments, and events for a webhook', async (t) => {
  const app = await open(t, 'payments.yaml')
  const pay = async (payload: object, key = 'k1') => {
    const headers = { 'idempotency-key': key }
    const response = await app.inject({ method: 'POST', url: '/v1/payments', headers, payload })
    return [response.statusCode, response.json<Record<string, unknown>>()] as const
  }
  const order = { amount: 500, currency: 'eur', card: '4242424242424242' }
  const paid = { id: 'pay_k1', amount: 500, currency: 'eur', status: 'succeeded', next_url: null }
  assert.deepEqual(await pay(order), [201, paid])
  assert.equal((await pay({ ...order, card: '4000000000000002' }))[0], 402)
  assert.equal((await pay({ ...order, card: '4000000000000341' }))[0], 503)
  assert.deepEqual(await pay({ ...order, card: '4000000000000341' }), [201, paid])
  assert.equal((await pay({ ...order, amount: 0 }))[0], 422)
  const noKey = await app.inject({ method: 'POST', url: '/v1/payments', payload: order })
  assert.equal(noKey.statusCode, 400)
  const [, action] = await pay({ ...order, card: '4000000000003220' })
  const confirmed = await app.inject({ method: 'POST', url: String(action.next_url) })
  assert.deepEqual(confirmed.json(), { id: 'pay_k1', status: 'succeeded' })
  const statuses: unknown[] = []
  for (let count = 0; count < 2; count += 1)
    statuses.push((await app.inject('/v1/payments/pay_k1')).json<{ status: string }>().status)
  assert.deepEqual(statuses, ['processing', 'succeeded'])
  const [event, again] = (await app.inject('/v1/events?payment=pay_k1')).json<unknown[]>()
  assert.deepEqual(event, again)
  assert.deepEqual((event as { data: object }).data, { id: 'pay_k1', status: 'succeeded' })
  const endpoints = '/v1/webhook_endpoints'
  const register = (url: string) => app.inject({ method: 'POST', url: endpoints, payload: { url } })
  const { challenge } = (await register('http://127.0.0.1:4000/hook')).json<{ challenge: string }>()
  assert.match(challenge, /^[\da-f-]{36}$/)
  assert.equal((await register('mailto:a')).statusCode, 422)
  const verify = {
    method: 'POST',
    url: `${endpoints}/we_1/verify`,
    payload: { challenge },
  } as const
  assert.deepEqual((await app.inject(verify)).json(), { id: 'we_1', status: 'enabled' })
})

test('docs/examples/files.yaml has downloads that break and can be resumed', async (t) => {
  const app = await open(t, 'files.yaml')
  const origin = await app.listen({ port: 0 })
  const whole = Buffer.from(await (await fetch(`${origin}/whole.bin`)).arrayBuffer())
  assert.equal(whole.length, 200_000)
  const received: Buffer[] = []
  const download = async (headers: Record<string, string>) => {
    const response = await fetch(`${origin}/short.bin`, { headers })
    try {
      for await (const chunk of response.body ?? []) received.push(Buffer.from(chunk as Uint8Array))
    } catch {
      // The connection was lost.
    }
    return response.status
  }
  const statuses = [await download({})]
  while (Buffer.concat(received).length < whole.length && statuses.length < 5) {
    const range = `bytes=${String(Buffer.concat(received).length)}-`
    statuses.push(await download({ range, 'if-range': '"v1"' }))
  }
  assert.deepEqual(statuses, [200, 206, 206])
  assert.ok(Buffer.concat(received).equals(whole))
  const slow = Buffer.from(await (await fetch(`${origin}/slow.bin`)).arrayBuffer())
  assert.ok(slow.equals(whole))
  await assert.rejects(fetch(`${origin}/changing.bin`).then((response) => response.text()))
  const changed = await fetch(`${origin}/changing.bin`, {
    headers: { range: 'bytes=1000-', 'if-range': '"v1"' },
  })
  assert.equal(changed.status, 200)
  await changed.body?.cancel()
  const busy: number[] = []
  for (let count = 0; count < 50; count += 1) busy.push((await app.inject('/busy.bin')).statusCode)
  assert.deepEqual(new Set(busy), new Set([200, 503]))
  assert.equal((await app.inject('/other.bin')).statusCode, 404)
})

test('docs/stubs.md leads to each file of docs/examples', () => {
  const text = readFileSync(join(projectFolder, 'docs/stubs.md'), 'utf8')
  const names = readdirSync(join(projectFolder, 'docs/examples'))
  assert.deepEqual(
    names.filter((name) => !text.includes(`(examples/${name})`)),
    [],
  )
})
