import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'

for (const [by, settings, url] of [
  ['DELAY_MS', { DELAY_MS: '300' }, '/posts'],
  ['DELAY_MS without json-server', { DELAY_MS: '300', JSON_SERVER: '' }, '/posts'],
  ['_delay', {}, '/posts?_delay=300'],
] as const) {
  test(`a write that ${by} delays is not made for a client that has disconnected`, async (t) => {
    const all = { JSON_SERVER: '0.17', ...settings }
    const app = await dataApp(t, { posts: [] }, { settings: all })
    const origin = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const socket = connect(Number(origin.port), '127.0.0.1')
    const type = 'Content-Type: application/json\r\nContent-Length: 11'
    socket.write(`POST ${url} HTTP/1.1\r\nHost: localhost\r\n${type}\r\n\r\n{"title":1}`)
    const arrival = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    const [, response] = await arrival
    socket.destroy()
    await once(response, 'close')
    // Its delay ends after that of the write.
    assert.deepEqual((await app.inject(url)).json(), [])
  })
}
