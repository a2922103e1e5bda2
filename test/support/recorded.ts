import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Exchange } from '../../src/exchanges/exchange.ts'
import { catalogueApp, type TestApp } from './test-app.ts'
import { until } from './until.ts'

export type Headers = Readonly<Record<string, string>>

export async function findExchanges(app: TestApp, requestId: string, headers: Headers = {}) {
  const url = `/inspector?request_id=${requestId}`
  const response = await app.inject({ url, headers: { accept: 'application/json', ...headers } })
  assert.equal(response.headers['cache-control'], 'no-store')
  return response.json<{ exchanges: Exchange[] }>().exchanges
}

export async function findExchange(app: TestApp, requestId: string): Promise<Exchange> {
  let found: Exchange | undefined
  await until(async () => {
    ;[found] = await findExchanges(app, requestId)
    return found !== undefined
  })
  return found ?? assert.fail()
}

/** The app on a port, and an id for the requests of a test. */
export async function openRecordedApp(t: TestContext, settings: Headers = {}) {
  return startRecording(await catalogueApp(t, { settings }))
}

export async function startRecording(app: TestApp) {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { app, origin: `http://127.0.0.1:${String(port)}`, id: randomUUID() }
}
