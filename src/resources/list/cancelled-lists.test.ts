import type { ServerResponse } from 'node:http'
import { connect, Http2ServerResponse } from 'node:http2'
import { get } from 'node:https'
import { test } from 'node:test'
import { makeCertificate } from '../../../test/support/tls-client.ts'
import { createRecord } from '../../../test/support/resources.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'

const path = '/places?q=rome'
const options = { rejectUnauthorized: false }

const clients: Record<string, (origin: string) => { destroy: () => void }> = {
  'HTTP/1.1': (origin) => get(origin + path, options).on('error', () => undefined),
  'HTTP/2': (origin) => {
    const session = connect(origin, options)
    const stream = session.request({ ':path': path })
    stream.on('error', () => undefined).resume()
    return session
  },
}

for (const [version, send] of Object.entries(clients)) {
  test(`a list is cancelled when its connection is lost, over ${version}`, async (t) => {
    const app = await testApp(t, { settings: await makeCertificate(t) })
    await createRecord(app, '/places', { name: 'Rome' })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    let status = 0
    // After the listener of the app, which has begun to read the list.
    app.server.once('request', (_request: unknown, response: ServerResponse) => {
      const connection = response instanceof Http2ServerResponse ? response.stream : response
      connection.destroy()
      void until(() => response.statusCode !== 200).then(() => {
        status = response.statusCode
      })
    })
    const client = send(origin)
    t.after(() => {
      client.destroy()
    })
    await until(() => status === 503)
  })
}
