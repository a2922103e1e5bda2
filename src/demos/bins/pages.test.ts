import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { createBin, type Captured } from '../../../test/support/bins.ts'
import { asMultipart } from '../../../test/support/multipart-form.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const headers = { accept: 'text/html' }

test('the links and the removal of a filtered page have its filters', async () => {
  const bin = await createBin(sharedApp())
  for (const path of ['/a', '/b']) await bin.send(path)
  const all = (await bin.read('', { headers })).body
  assert.match(all, /Remove all requests</)
  assert.doesNotMatch(all, /Show all/)
  const { body } = await bin.read('?path=%2Fa&status=&sort=-receivedAt', { headers })
  const page = `/bins/${bin.id}`
  assert.match(body, new RegExp(`href="${page}\\?path=%2Fa">Reload<`))
  assert.match(body, new RegExp(`href="${page}">Show all<`))
  assert.match(body, /Remove all requests that match</)
  const [, action = ''] = /<form method="post" action="([^"]*requests[^"]*)"/.exec(body) ?? []
  const removed = await bin.read(action.replace(page, ''), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: '_method=DELETE',
  })
  assert.equal(removed.statusCode, 303)
  assert.deepEqual(
    (await bin.list()).map(({ path }) => path),
    ['/b'],
  )
})

test('an empty list tells whether requests are filtered', async () => {
  const bin = await createBin(sharedApp())
  const open = async (query: string) => (await bin.read(query, { headers })).body
  assert.match(await open(''), /data-empty="Requests appear here as they end\."/)
  assert.match(await open('?path=x'), /data-empty="No request matches\."/)
})

for (const [query, problem] of [
  ['?status=9&path=%2Fa', 'status must be a status code or a class such as 2xx'],
  ['?other=1', 'other is an unknown field'],
] as const) {
  test(`the page with ${query} shows the problem`, async () => {
    const bin = await createBin(sharedApp())
    await bin.send('/a')
    const { statusCode, body } = await bin.read(query, { headers })
    assert.equal(statusCode, 400)
    assert.deepEqual(await findInvalid(body, query), [])
    assert.match(body, new RegExp(`role="alert">${problem}`))
    assert.match(body, />Show all</)
    assert.equal(body.includes('name="status" value="9"'), query.includes('status'))
    assert.match(body, /data-events=""/)
  })
}

test('a row has the whole time, and the date unless it is of today', async (t) => {
  const bin = await createBin(await testApp(t))
  await bin.send('/a')
  const [{ receivedAt } = { receivedAt: '' }] = await bin.list()
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse(receivedAt) })
  const [date = '', time = ''] = receivedAt.replace('Z', '').split('T')
  const [seconds = '', ms = ''] = time.split('.')
  const find = async () => {
    const { body } = await bin.read('', { headers })
    return /<time [^>]* title="([^"]*)">(.*?)<\/time>/.exec(body)?.slice(1)
  }
  assert.deepEqual(await find(), [`${date} ${time} UTC`, `${seconds}<span>.${ms}</span>`])
  t.mock.timers.tick(86_400_000)
  assert.deepEqual(await find(), [`${date} ${time} UTC`, `${date.slice(5)} ${seconds}`])
})

test('the page of a request has its id and the command that forwards it', async () => {
  const bin = await createBin(sharedApp())
  await bin.send('/a')
  const [{ id } = { id: '' }] = await bin.list()
  const { body } = await bin.read(`/requests/${id}`, { headers })
  assert.match(body, new RegExp(`<dt>ID</dt><dd><code>${id}</code></dd>`))
  const command = `forward http://localhost/bins/${bin.id} http://localhost:8080 --secret ${bin.secret} --only ${id}`
  assert.ok(body.replaceAll(/<[^>]*>/g, '').includes(command))
})

test('the page tells that a body was not sent', async (t) => {
  const app = await testApp(t, { settings: { BIN_MAX_BODY_BYTES: '10' } })
  const bin = await createBin(app)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const sent = request({
    port,
    method: 'POST',
    path: `/b/${bin.id}`,
    agent: false,
    headers: { expect: '100-continue', 'content-length': '11' },
  })
  sent.flushHeaders()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 413)
  sent.destroy()
  const [{ id } = { id: '' }] = await bin.list()
  const { body } = await bin.read(`/requests/${id}`, { headers })
  assert.match(body, /The body was not sent, since the client waited for 100 \(Continue\)\./)
  assert.doesNotMatch(body, /Download the|<code><\/code>/)
})

test('a form with more parts than are read is shown without them', async () => {
  const bin = await createBin(sharedApp())
  const parts = Array.from({ length: 1001 }, () => ({ name: 'a', content: 'text of a part' }))
  const payload = asMultipart([...parts, { name: 'f', fileName: 'a.txt', content: 'a' }])
  await bin.send('', { method: 'POST', ...payload })
  const [{ id } = { id: '' }] = await bin.list()
  const url = `/requests/${id}`
  const page = await bin.read(url, { headers })
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /text of a part/)
  const { fields, files } = (await bin.read(url)).json<Captured>()
  assert.deepEqual([fields, files], [[], []])
  assert.equal((await bin.read(`${url}/body`)).statusCode, 200)
  assert.equal((await bin.read(`${url}/files/1`)).statusCode, 404)
})
