import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, Server } from 'node:http'
import { isIP, isIPv4, isIPv6, BlockList } from 'node:net'
import { formatNumber } from '../config/format-count.ts'
import type { Config } from '../config/config.ts'
import { HttpError, serviceUnavailable } from '../http/errors/http-error.ts'
import { parseAddress, toClientAddress } from '../http/request/client-address.ts'
import { toRateLimitHeaders, type QuotaState } from '../http/response/rate-limit-headers.ts'
import { type CounterSet, windowSeconds, type Count } from '../stores/counters/counters.ts'
import { toReason } from '../stores/store-failure.ts'
import { clearInterval, performance, setInterval } from '../timers.ts'

interface LimitParts {
  counters: CounterSet | undefined
  /** For a request of a blocked client. */
  findBlock: (raw: IncomingMessage) => HttpError | undefined
}

export function openLimits(config: Config, { counters, findBlock }: LimitParts) {
  const { maxEventLoopDelayMs: maxDelayMs, maxConnectionsPerClient: maxPerClient } = config
  const eventLoop = maxDelayMs === undefined ? undefined : watchEventLoop(maxDelayMs)
  const rates = counters && createRateLimits(config, counters)
  return {
    discard: (raw: IncomingMessage) => rates?.discard(raw),
    isDecided: (raw: IncomingMessage) =>
      raw.isOverLimit === true || eventLoop?.isLate() === true || findBlock(raw) !== undefined,
    check(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
      const block = findBlock(request.raw)
      // Health checks and stylesheets, but not a POST whose body, which was read, made it a GET.
      const isExempt = request.routeOptions.config.isUnlimited && !request.raw.receivedMethod
      if (block) done(block)
      else if (!isExempt && eventLoop?.isLate()) done(serviceUnavailable(overloaded))
      else if (!isExempt && request.raw.isOverLimit) done(tooManyInProgress(maxPerClient))
      else if (isExempt || rates === undefined) done()
      else rates.limit(request, reply).then(done, done)
    },
    statuses: [
      ...(counters || maxPerClient ? [429 as const] : []),
      ...(eventLoop ? [503 as const] : []),
    ],
    close: () => eventLoop?.close(),
  }
}

const overloaded = 'The service is overloaded (MAX_EVENT_LOOP_DELAY_MS).'

function tooManyInProgress(max = 0): HttpError {
  const detail = `A client may have ${formatNumber(max)} requests in progress (MAX_CONNECTIONS_PER_CLIENT).`
  return new HttpError('too-many-requests', detail)
}

function tooManyRequests(limit: string, policy: string, restSeconds: number): HttpError {
  const detail = `A client may send ${limit}. Try again in ${String(restSeconds)} s.`
  const headers = { 'retry-after': String(restSeconds) }
  return new HttpError('too-many-requests', detail, {
    headers,
    members: { 'violated-policies': [policy] },
  })
}

const intervalMs = 20
const restMs = 10_000

/**
 * `monitorEventLoopDelay` would reject requests long after a single spike. The timer stops after ten seconds
 * without a request, so that it does not wake up a service at rest.
 */
function watchEventLoop(maxDelayMs: number) {
  let requestedAt = 0
  let dueAt = 0
  let wasLate = false
  let timer: ReturnType<typeof setInterval> | undefined
  const check = () => {
    const now = performance.now()
    wasLate = now - dueAt > maxDelayMs
    dueAt = now + intervalMs
    if (now - requestedAt > restMs) close()
  }
  const close = () => {
    clearInterval(timer)
    timer = undefined
    wasLate = false
  }
  const isLate = () => {
    requestedAt = performance.now()
    if (timer === undefined) {
      timer = setInterval(check, intervalMs).unref()
      dueAt = requestedAt + intervalMs
    }
    // Many requests may arrive before an overdue timer runs.
    return wasLate || requestedAt - dueAt > maxDelayMs
  }
  return { isLate, close }
}

function createRateLimits(config: Config, places: CounterSet) {
  const { rateLimit, loginRateLimit } = config
  const policies = [
    { name: 'default', quota: rateLimit, unit: 'requests', setting: 'RATE_LIMIT' },
    { name: 'login', quota: loginRateLimit, unit: 'logins', setting: 'LOGIN_RATE_LIMIT' },
  ] as const
  const count = createCounting(places)
  const warnOfProxy = createProxyWarning()
  const isProxy = createProxyCheck(config)
  const discard = (raw: IncomingMessage) => {
    // Node keeps the address of a closed connection if an earlier request has asked for it.
    void count(`default ${toAddressKey(findClient(raw, isProxy)) ?? 'unknown'}`)
  }
  const limit = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Error | undefined> => {
    const { isLogin = false } = request.routeOptions.config
    const client = toAddressKey(toClientAddress(request)) ?? 'unknown'
    warnOfProxy(request)
    const states: QuotaState[] = []
    let error: HttpError | undefined
    for (const { name, quota, unit, setting } of policies) {
      if (quota === undefined || (name === 'login' && !isLogin)) continue
      const { requests, leftMs } = await count(`${name} ${client}`, request)
      const resetSeconds = Math.max(Math.ceil(leftMs / 1000), 1)
      const left = Math.max(quota - requests, 0)
      states.push({ name, quota, windowSeconds, left, resetSeconds })
      if (requests > quota)
        error = tooManyRequests(
          `${formatNumber(quota)} ${unit} per minute (${setting})`,
          name,
          resetSeconds,
        )
    }
    if (states.length > 0) reply.headers(toRateLimitHeaders(states))
    const { recording } = request.raw
    if (recording) recording.isRateLimited = error !== undefined
    return error
  }
  return { discard, limit }
}

/** Warns once, because clients can send the header with every request. */
function createProxyWarning() {
  let hasWarned = false
  return (request: FastifyRequest): void => {
    const { id, headers, server } = request
    if (hasWarned || !headers['x-forwarded-for']) return
    // A trusted proxy may forward its own address.
    const { ip, socket } = request
    if (ip !== socket.remoteAddress || (request.ips ?? []).length > 1) return
    hasWarned = true
    const problem = 'X-Forwarded-For is ignored: its sender is not in TRUSTED_PROXIES'
    server.log.warn({ reqId: id }, `${problem}. If it is a proxy, all its clients count as one`)
  }
}

/** Counts in this process while the shared counters are unavailable: see 012-limits.md. */
function createCounting({ shared, own }: CounterSet) {
  let isUnavailable = false
  return async (key: string, request?: FastifyRequest): Promise<Count> => {
    if (shared === undefined) return own.add(key)
    try {
      const counted = await shared.add(key)
      isUnavailable = false
      return counted
    } catch (error) {
      const problem = 'shared counters are unavailable; requests are counted per process'
      if (request && !isUnavailable) {
        request.server.log.warn({ reqId: request.id }, `${problem}: ${toReason(error)}`)
        isUnavailable = true
      }
      return own.add(key)
    }
  }
}

const shortKeepAliveMs = 1000

export type ConnectionLimit = 'maxConnections' | 'maxConnectionsPerClient'

export function limitConnections(
  server: Server,
  config: Config,
  onDrop: (limit: ConnectionLimit, isFirst: boolean) => void = () => undefined,
): void {
  const { maxConnections, maxConnectionsPerClient: maxPerClient = Infinity } = config
  const isProxy = createProxyCheck(config)
  const { keepAliveTimeout } = server
  const count = createCount()
  let total = 0
  let isFull = false
  const add = (key: string, change: 1 | -1): number => {
    total += change
    const isNearlyFull = total >= 0.9 * maxConnections
    isFull &&= isNearlyFull
    server.keepAliveTimeout = isNearlyFull
      ? Math.min(keepAliveTimeout, shortKeepAliveMs)
      : keepAliveTimeout
    return count(key, change)
  }
  server.on('connection', (socket) => {
    const { remoteAddress: address = '' } = socket
    const key = toAddressKey(address) ?? 'unknown'
    const isOver = add(key, 1) > maxPerClient
    socket.once('close', () => add(key, -1))
    if (!isOver || isProxy(address)) return
    onDrop('maxConnectionsPerClient', false)
    socket.destroy()
  })
  server.on('drop', () => {
    onDrop('maxConnections', !isFull)
    isFull = true
  })
}

declare module 'node:http' {
  interface IncomingMessage {
    isOverLimit?: boolean
  }
}

/** Counts before routing, which may read the body: behind a proxy, a client needs no connection of its own. */
export function countInProgress(app: FastifyInstance, config: Config): void {
  const { maxConnectionsPerClient: maxPerClient } = config
  if (maxPerClient === undefined) return
  const isProxy = createProxyCheck(config)
  const count = createCount()
  const routing = app.routing.bind(app)
  app.routing = (request, response) => {
    const client = toAddressKey(findClient(request, isProxy))
    const key = client ?? toAddressKey(request.socket.remoteAddress) ?? 'unknown'
    request.isOverLimit = count(key, 1) > maxPerClient
    response.once('close', () => count(key, -1))
    routing(request, response)
  }
}

/** Fastify finds `request.ip` in the same way. */
export function findClient(
  { headers, socket }: IncomingMessage,
  isProxy: (address: string) => boolean,
): string {
  let client = socket.remoteAddress ?? ''
  if (!isProxy(client)) return client
  for (const address of String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .reverse()) {
    client = address.trim() || client
    if (!isProxy(client)) break
  }
  return client
}

function createCount() {
  const counts = new Map<string, number>()
  return (key: string, change: 1 | -1): number => {
    const count = (counts.get(key) ?? 0) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
    return count
  }
}

export const createProxyCheck = ({ trustedProxies }: Config) => createNetworkCheck(trustedProxies)

/** Networks are addresses, or CIDRs such as 10.0.0.0/8. */
export function createNetworkCheck(networks: readonly string[]): (address?: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const bits = isIPv6(address) ? 128 : 32
    list.addSubnet(address, Number(prefix ?? bits), toFamily(address))
  }
  return (address = '') => isIP(address) !== 0 && list.check(address, toFamily(address))
}

const toFamily = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** A client usually owns the first 64 bits of an IPv6 address. */
export function toAddressKey(text: string | undefined): string | undefined {
  const address = parseAddress(text)
  if (address === undefined || isIPv4(address)) return address
  // Normalizes to lower case without dots; the zone is no part of a URL.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`)
  const [, high, low] = /^\[::ffff:(\w+):(\w+)\]$/.exec(hostname) ?? []
  if (high && low) return `${groupToBytes(high)}.${groupToBytes(low)}`
  return `${toGroups(hostname.slice(1, -1)).slice(0, 4).join(':')}::/64`
}

/** The eight groups of an IPv6 address, in lower case. */
export function toGroups(address: string): string[] {
  const { hostname } = new URL(`http://[${address}]`)
  const [head = [], tail = []] = hostname.split('::').map((part) => part.match(/\w+/g) ?? [])
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail]
}

const groupToBytes = (group: string): string => Buffer.from(group.padStart(4, '0'), 'hex').join('.')
