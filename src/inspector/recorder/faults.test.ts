import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { catalogueApp, type TestApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'
import type { Exchange } from '../../exchanges/exchange.ts'

const url = '/responses/sequence/my-test'

interface List {
  exchanges: readonly Exchange[]
  removed: number
}

async function list(app: TestApp): Promise<List> {
  const headers = { accept: 'application/json' }
  return (await app.inject({ url: '/inspector', headers })).json<List>()
}

async function record(t: TestContext, target: string) {
  const app = await catalogueApp(t)
  const origin = await app.listen({ port: 0 })
  await fetch(origin + target)
    .then((response) => response.text())
    .catch(() => undefined)
  await until(async () => (await list(app)).exchanges.length > 0)
  const { exchanges } = await list(app)
  return { app, exchange: exchanges[0] }
}

test('the list and an archive have the fault and the step', async (t) => {
  const { app, exchange } = await record(t, `${url}?steps=short-body,200`)
  assert.deepEqual([exchange?.fault, exchange?.step], ['short-body', 1])
  const archive = await app.inject('/inspector.har')
  const { log } = archive.json<{ log: { entries: { _fault: string; _step: number }[] } }>()
  assert.deepEqual(
    log.entries.map(({ _fault, _step }) => [_fault, _step]),
    [['short-body', 1]],
  )
})

for (const [target, note] of [
  [
    `${url}?steps=short-body&body=0123456789`,
    'Only 5 of 10 bytes were sent. The request asked for the fault short-body.',
  ],
  [
    `${url}?steps=reset-before-head`,
    'The connection was lost before the response. The request asked for the fault reset-before-head.',
  ],
  [
    `${url}?steps=bad-chunk`,
    'The connection was lost before the end of the response. The request asked for the fault bad-chunk.',
  ],
  [`${url}?steps=200`, 'The request succeeded, and the body is its result.'],
] as const) {
  test(`the page of ${target} has the note: ${note}`, async (t) => {
    const { app, exchange } = await record(t, target)
    const headers = { accept: 'text/html' }
    const { body } = await app.inject({ url: `/inspector/${exchange?.id ?? ''}`, headers })
    assert.equal(/<p class="note">(.*)<\/p>/.exec(body)?.[1], note)
  })
}

for (const [target, expected] of [
  [url, '{"key":"my-test","requests":1,"status":503}'],
  [`${url}/state`, '{"key":"my-test","requests":0,"expires_at":null}'],
  [`${url}?steps=200&json={"key":"secret"}`, '{"key":"••••••"}'],
  ['/responses/custom?json={"key":"custom"}', '{"key":"••••••"}'],
  [
    '/responses/custom?json={"cookies":{},"token":"","keys":[]}',
    '{"cookies":{},"token":"","keys":[]}',
  ],
  ['/responses/custom?json={"cookies":{"a":""},"b":1}', '{"cookies":"••••••","b":1}'],
] as const) {
  test(`the recorded body of ${target} is ${expected}`, async (t) => {
    const { app, exchange } = await record(t, target)
    const headers = { accept: 'application/json' }
    const found = await app.inject({ url: `/inspector/${exchange?.id ?? ''}`, headers })
    assert.equal(found.json<Exchange>().responseBody?.text, expected)
  })
}

test('the list has the number of exchanges that were removed since it was cleared', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR_MAX_BYTES: String(4 * 1024 ** 2) } })
  const send = async () => {
    // There are at most 128 in 4 MiB.
    for (let request = 1; request <= 131; request += 1) await app.inject('/api/json')
  }
  await send()
  assert.equal((await list(app)).removed, 3)
  await app.inject({ method: 'DELETE', url: '/inspector' })
  assert.equal((await list(app)).removed, 0)
  await send()
  assert.equal((await list(app)).removed, 3)
})
