import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createBin, type NewBin } from '../../../test/support/bins.ts'
import { openEvents } from '../../../test/support/event-stream.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'

const sharedApp = useApp()

test('the response of a bin can be set, with every part of a description', async () => {
  const app = sharedApp()
  const bin = await createBin(app, { status: 418, body: 'tea', headers: { 'X-A': ['1', '2'] } })
  const first = await bin.send('', { method: 'PUT' })
  assert.deepEqual([first.statusCode, first.body, first.headers['x-a']], [418, 'tea', ['1', '2']])
  const payload = {
    response: {
      sequence: [
        { status: 503, times: 2 },
        { status: 200, json: 1 },
      ],
    },
  }
  const changed = await bin.read('', { method: 'PATCH', payload })
  assert.deepEqual([changed.statusCode, changed.json<NewBin>().response], [200, payload.response])
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push((await bin.send()).statusCode)
  assert.deepEqual(statuses, [503, 503, 200, 200])
  await bin.read('', { method: 'PATCH', payload })
  assert.equal((await bin.send()).statusCode, 503)
})

const badResponses: unknown[] = [{ status: 99 }, { unknown: 1 }, 'text', [], { sequence: [] }, 7]
for (const response of badResponses) {
  test(`${JSON.stringify(response)} is not a response of a bin`, async () => {
    const app = sharedApp()
    const bin = await createBin(app)
    const payload = { response }
    assert.equal((await bin.read('', { method: 'PATCH', payload })).statusCode, 400)
    assert.equal((await app.inject({ method: 'POST', url: '/bins', payload })).statusCode, 400)
    assert.equal((await bin.send()).body, '{"ok":true}')
  })
}

test('a capture has the step of a sequence, and the fault in place of a status', async () => {
  const app = sharedApp()
  const sequence = [
    { fault: 'reset-before-head', times: 2 },
    { fault: 'short-body', status: 201, body: 'ab' },
    { json: { ok: 1 } },
  ]
  const bin = await createBin(app, { sequence })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const send = () => fetch(`${origin}/b/${bin.id}`).then((response) => response.text())
  for (let count = 0; count < 3; count += 1) await assert.rejects(send())
  assert.equal(await send(), '{"ok":1}')
  await until(async () => (await bin.list()).filter(({ isCutOff }) => isCutOff).length === 3)
  const captured = await bin.list()
  assert.deepEqual(
    captured.map(({ status, fault, step, isCutOff }) => [status, fault, step, isCutOff]),
    [
      [undefined, 'reset-before-head', 1, true],
      [undefined, 'reset-before-head', 1, true],
      [201, 'short-body', 2, true],
      [200, undefined, 3, undefined],
    ],
  )
  const headers = { accept: 'text/html' }
  const page = await bin.read(`/requests/${captured[0]?.id ?? ''}`, { headers })
  assert.match(page.body, /reset-before-head/)
  assert.match(page.body, /<dt>Step of the sequence<\/dt><dd>1<\/dd>/)
  assert.doesNotMatch(page.body, /HTTP\/1.1 (200|undefined)/)
})

const described = { ranges: true, body: '0123456789' }
const sent: [title: string, response: object, headers: Record<string, string>, status: number][] = [
  ['a part', described, { range: 'bytes=5-' }, 206],
  ['a range after the end', described, { range: 'bytes=50-' }, 416],
  ['all', described, {}, 200],
  ['an impossible fault', { fault: 'goaway' }, {}, 400],
]
for (const [title, response, headers, status] of sent) {
  test(`a bin records the status that it sent: ${title}`, async () => {
    const bin = await createBin(sharedApp(), response)
    assert.equal((await bin.send('', { headers })).statusCode, status)
    const [captured] = await bin.list(`?status=${String(status)}`)
    assert.deepEqual([captured?.status, captured?.isCutOff], [status, undefined])
    const har = (await bin.read('/requests.har')).body
    assert.match(har, new RegExp(`"response":\\{"status":${String(status)},`))
  })
}

test('a request whose client leaves during the delay is stored at once, and then has no status', async (t) => {
  const app = await testApp(t)
  const bin = await createBin(app, { delay: 10 })
  const { port, origin } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const { authorization } = bin
  const open = (lastId?: string) =>
    openEvents(t, `${origin}/bins/${bin.id}/events`, { authorization, lastId })
  const stream = await open()
  const begin = stream.lastId()
  const client = connect(Number(port), '127.0.0.1')
  await once(client, 'connect')
  client.write(`GET /b/${bin.id} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const [due] = await bin.list('?wait=60')
  assert.deepEqual([due?.status, due?.isCutOff], [200, undefined])
  client.destroy()
  await until(async () => (await bin.list())[0]?.isCutOff === true)
  const [left, ...others] = await bin.list()
  assert.deepEqual([left?.id, left?.status, others], [due?.id, undefined, []])
  // Who resumes later misses neither the request nor its end.
  for (const events of [await stream.take(2), await (await open(begin)).take(2)])
    assert.deepEqual(
      events.map((event) => event?.name),
      ['created', 'changed'],
    )
  const har = (await bin.read('/requests.har')).json<{ log: { entries: { response: object }[] } }>()
  assert.partialDeepStrictEqual(har.log.entries[0]?.response, { status: 0, _error: 'cut off' })
  assert.equal((await bin.read('/requests', { method: 'DELETE' })).statusCode, 204)
  assert.deepEqual(await bin.list(), [])
})
