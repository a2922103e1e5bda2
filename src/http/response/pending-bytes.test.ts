import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { makeCertificate } from '../../../test/support/tls-client.ts'
import { testApp } from '../../../test/support/test-app.ts'
import type { Demo } from '../../site/demo.ts'

/** Sends a request, and disconnects when it has arrived. */
type Disconnect = (port: number, arrival: Promise<unknown>) => Promise<void>

// The limit of all pending responses is 256 MiB. A text would be encoded for each response.
const large = Buffer.alloc(100 * 1024 ** 2, 'x')
const requests = 3

test('responses to clients that have disconnected do not count as pending', async (t) => {
  await t.test('HTTP/1.1', (t) => countResponses(t, {}, disconnectHttp1))
  await t.test('HTTP/2', async (t) => {
    await countResponses(t, await makeCertificate(t), disconnectHttp2)
  })
})

test('responses that were read to their end do not count as pending', async (t) => {
  const demo: Demo = {
    name: 'static',
    title: 'Large responses',
    summary: '',
    routes: (_, app) => {
      app.get('/now', () => large)
      return []
    },
  }
  const app = await testApp(t, { demos: [demo] })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  for (let index = 0; index < requests; index += 1) {
    const [response] = (await once(get(`${origin}/now`), 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 200)
    await once(response.resume(), 'end')
  }
})

async function countResponses(t: TestContext, settings: Record<string, string>, send: Disconnect) {
  const arrivals = new EventTarget()
  const responses = Promise.withResolvers<undefined>()
  let count = 0
  /** Responds to /late after its client has disconnected. */
  const late: Demo = {
    name: 'static',
    title: 'Late responses',
    summary: '',
    routes: (_, app) => {
      app.get('/late', async (_request, reply) => {
        const { promise: closed, resolve } = Promise.withResolvers<undefined>()
        reply.raw.once('close', () => {
          resolve(undefined)
        })
        arrivals.dispatchEvent(new Event('arrival'))
        await closed
        setImmediate(() => {
          count += 1
          if (count === requests) setImmediate(responses.resolve, undefined)
        })
        return large
      })
      app.get('/now', () => large)
      return []
    },
  }
  const app = await testApp(t, { demos: [late], settings })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (let index = 0; index < requests; index += 1) {
    const arrival = once(arrivals, 'arrival')
    await Promise.all([arrival, send(port, arrival)])
  }
  await responses.promise
  assert.equal((await app.inject('/now')).statusCode, 200)
}

const disconnectHttp1: Disconnect = async (port, arrival) => {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await arrival
  socket.resetAndDestroy()
}

const disconnectHttp2: Disconnect = async (port, arrival) => {
  const session = connectHttp2(`https://127.0.0.1:${String(port)}`, { rejectUnauthorized: false })
  const stream = session.request({ ':path': '/late' })
  await arrival
  stream.close()
  await once(stream, 'close')
  session.destroy()
}
