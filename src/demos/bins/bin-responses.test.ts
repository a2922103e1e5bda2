import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBin, type NewBin } from '../../../test/bins.ts'
import { testApp } from '../../../test/test-app.ts'

test('the response of a bin can be set, with every part of a description', async (t) => {
  const app = await testApp(t)
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
  test(`${JSON.stringify(response)} is not a response of a bin`, async (t) => {
    const app = await testApp(t)
    const bin = await createBin(app)
    const payload = { response }
    assert.equal((await bin.read('', { method: 'PATCH', payload })).statusCode, 400)
    assert.equal((await app.inject({ method: 'POST', url: '/bins', payload })).statusCode, 400)
    assert.equal((await bin.send()).body, '{"ok":true}')
  })
}

test('a capture has the step of a sequence, and the fault in place of a status', async (t) => {
  const app = await testApp(t)
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
  const captured = await bin.list()
  assert.deepEqual(
    captured.map(({ status, fault, step }) => [status, fault, step]),
    [
      [undefined, 'reset-before-head', 1],
      [undefined, 'reset-before-head', 1],
      [201, 'short-body', 2],
      [200, undefined, 3],
    ],
  )
  const headers = { accept: 'text/html' }
  const page = await bin.read(`/requests/${captured[0]?.id ?? ''}`, { headers })
  assert.match(page.body, /reset-before-head/)
  assert.match(page.body, /<dt>Step of the sequence<\/dt><dd>1<\/dd>/)
  assert.doesNotMatch(page.body, /HTTP\/1.1 (200|undefined)/)
})
