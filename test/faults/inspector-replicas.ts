import type { TestContext } from 'node:test'
import type { Summary } from '../../src/exchanges/exchange.ts'
import { startRedis } from '../support/redis-server.ts'
import { startVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'

export type Replica = Awaited<ReturnType<typeof startVitrine>>
export type Headers = Readonly<Record<string, string>>

export interface List {
  exchanges: Summary[]
  scope: string
  silent: number
}

export const secret = { 'x-inspector': 'a secret of 16 c' }
export const other = { 'x-inspector': 'another secret, 2' }
export const page = { accept: 'text/html' }
export const ofOne = 'Only the requests that this replica of the service received are available.'
export const oneSilent =
  '1 process of the service did not respond in time, so its requests are missing.'

export async function send({ origin }: Replica, path: string, init: RequestInit = {}) {
  const response = await fetch(origin + path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Until it is there: a busy process may not respond to another in time. */
export async function getJson<Value>(one: Replica, path: string, given: Headers = {}) {
  const headers = { accept: 'application/json', ...given }
  let response = await send(one, path, { headers })
  await until(async () => {
    if (response.status === 404) response = await send(one, path, { headers })
    return response.status === 200
  })
  return JSON.parse(response.text) as Value
}

export async function list(one: Replica, headers: Headers = {}) {
  const { exchanges, ...coverage } = await getJson<List>(one, '/inspector?path=/user', headers)
  return { targets: exchanges.map(({ target }) => target), exchanges, ...coverage }
}

export async function listAll(one: Replica, headers: Headers = {}) {
  let found = await list(one, headers)
  await until(async () => {
    if (found.scope !== 'service' || found.silent > 0) found = await list(one, headers)
    return found.scope === 'service' && found.silent === 0
  })
  return found
}

export const clear = (one: Replica, headers: Headers = {}) =>
  send(one, '/inspector', { method: 'DELETE', headers })

export const clearAll = (one: Replica, headers: Headers = {}) =>
  until(async () => (await clear(one, headers)).status === 204)

export async function findNotice(one: Replica) {
  const { text } = await send(one, '/inspector', { headers: page })
  return /<p [^>]*data-part="notice"[^>]*>(.*?)<\/p>/.exec(text)?.[1]
}

/** On Redis, when both have found each other. */
export async function startBoth(t: TestContext, settings: Record<string, string> = {}) {
  const redis = await startRedis()
  t.after(redis.kill)
  const start = (more: Record<string, string> = {}) =>
    startVitrine(t, { LOG_LEVEL: 'silent', REDIS_URL: redis.url, ...settings, ...more })
  const [one, two] = await Promise.all([start(), start()])
  await send(one, '/user1', { headers: secret })
  await until(async () => (await list(two, secret)).targets.length === 1)
  await listAll(one)
  await clearAll(two, secret)
  return { redis, one, two, start }
}
