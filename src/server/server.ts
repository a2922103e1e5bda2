import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { lookup } from 'node:dns/promises'
import type { InjectOptions } from 'light-my-request'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { respondToConnect } from './connection-errors.ts'
import { delayContinue } from '../http/body/read-bytes.ts'
import {
  endStalledConnections,
  ignoreSocketErrors,
  serializePipelining,
  type RequestHandler,
} from './connections.ts'
import { limitSessions } from './http2-sessions.ts'
import { hasCode } from '../config/has-code.ts'
import { toReason } from '../stores/store-failure.ts'
import { keepAliveSeconds, maxRequestsOfConnection } from '../config/limits.ts'

const throwOnSchema = () => {
  throw new Error('Fastify schemas are not supported')
}

/** Without this Fastify loads two schema compilers: a sixth of the start. */
const compilersFactory = { buildValidator: throwOnSchema, buildSerializer: throwOnSchema }
export const withoutSchemas = { schemaController: { compilersFactory } }

export function createInstance(config: Config, given: FastifyServerOptions): FastifyInstance {
  const { tlsCert: cert, tlsKey: key, trustedProxies } = config
  const limits = toServerLimits(config)
  const { headersTimeout: handshakeTimeout, requestTimeout } = limits
  const settings = { maxConcurrentStreams: maxRequestsOfConnection }
  // Described headers, cookies and the type, each in up to three bytes per character. A block that is
  // longer than this, by default 64 KiB, would end the connection.
  const maxSendHeaderBlockLength = 16 * config.maxHeaderBytes
  const sending = { settings, maxSendHeaderBlockLength }
  const https = { key, cert, allowHTTP1: true, handshakeTimeout, ...sending, ...limits }
  const protocol = key === undefined ? { http: limits } : { http2: true, https }
  assertCertificate(config)
  const options = {
    // An index on 10 million records takes longer than the default of 10 seconds.
    pluginTimeout: 0,
    ...given,
    ...withoutSchemas,
    requestTimeout,
    connectionTimeout: config.sendIdleSeconds * 1000,
    return503OnClosing: false,
    http2SessionTimeout: 0,
    ...(trustedProxies.length > 0 && { trustProxy: [...trustedProxies] }),
    ...protocol,
  }
  // Handlers use HTTP/2 through the same interface; only the types differ.
  const app = Fastify(options as FastifyServerOptions)
  applyServerLimits(app.server, config, app)
  return app
}

/** The `inject` of Fastify does not call a replaced `app.routing`. */
export function injectRequests(app: FastifyInstance): void {
  const inject = async (request: InjectOptions | string) => {
    const { default: send } = await import('light-my-request')
    await app.ready()
    const route: typeof app.routing = (...exchange) => {
      app.routing(...exchange)
    }
    return send(route, request)
  }
  Object.assign(app, { inject })
}

/** Fails as `listen` would fail later, when the data file is loaded and the database exists. */
export async function assertCanListen({ host, ...config }: Config): Promise<void> {
  assertCertificate(config)
  const address = await resolveHost(host)
  const ports = { PORT: config.port, REDIRECT_HTTP_PORT: config.redirectHttpPort }
  for (const [setting, port] of Object.entries(ports)) {
    if (port === undefined) continue
    const server = createServer((socket) => socket.destroy()).listen(port, address)
    await once(server, 'listening').catch(failToListen(setting, host, port))
    await new Promise((resolve) => server.close(resolve))
  }
}

async function resolveHost(host: string): Promise<string> {
  const { address } = await lookup(host).catch((cause: unknown) => {
    throw new Error(
      `HOST cannot be resolved: ${host}. Set an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all`,
      { cause },
    )
  })
  return address
}

/** Fastify would open a second server, without our limits, for a second address of a host name. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  const address = await resolveHost(host)
  const { level } = app.log
  // Fastify logs a line for each address, and the start prints them in plain words.
  app.log.level = 'warn'
  return app
    .listen({ host: address, port })
    .catch(failToListen('PORT', host, port))
    .finally(() => {
      app.log.level = level
    })
}

export const failToListen =
  (setting: string, host: string, port?: number) =>
  (cause: unknown): never => {
    if (hasCode(cause, 'EADDRNOTAVAIL')) {
      const ofHost = setting === 'ADMIN_PORT' ? 'ADMIN_HOST' : 'HOST'
      const problem = `${host} is not an address of this machine (EADDRNOTAVAIL)`
      const hint = 'If the network is still starting, try again later'
      throw new Error(`${ofHost} cannot be used: ${problem}. ${hint}`, { cause })
    }
    if (!hasCode(cause, 'EADDRINUSE')) throw cause
    const detail = `port ${String(port)} of ${host} is in use (EADDRINUSE). Set another ${setting}, or stop the other process.`
    throw new Error(detail, { cause })
  }

export function toServerLimits({ headersSeconds, requestSeconds, maxHeaderBytes }: Config) {
  return {
    // Node rejects a `headersTimeout` that is longer than `requestTimeout`.
    headersTimeout: Math.min(headersSeconds, requestSeconds) * 1000,
    requestTimeout: requestSeconds * 1000,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: keepAliveSeconds * 1000,
    maxHeaderSize: maxHeaderBytes,
    requireHostHeader: false,
  }
}

export function applyServerLimits(
  server: Server,
  { maxConnections, sendIdleSeconds }: Config,
  handler: RequestHandler,
): void {
  server.maxConnections = maxConnections
  ignoreSocketErrors(server)
  serializePipelining(server, handler)
  delayContinue(server)
  server.on('connect', (_request, socket) => {
    respondToConnect(socket, handler.log)
  })
  // `assertRequestHead` responds with 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // A client may end its half of the connection and wait for the response.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.setTimeout(sendIdleSeconds * 1000)
  endStalledConnections(server)
  limitSessions(server, {
    firstRequestMs: server.headersTimeout,
    keepAliveMs: keepAliveSeconds * 1000,
    sendIdleMs: sendIdleSeconds * 1000,
  })
}

function assertCertificate({ tlsCert: cert, tlsKey: key }: Pick<Config, 'tlsCert' | 'tlsKey'>) {
  try {
    if (key !== undefined) process.getBuiltinModule('node:tls').createSecureContext({ cert, key })
  } catch (error) {
    throw new Error(`TLS_CERT and TLS_KEY cannot be used: ${toReason(error)}`, { cause: error })
  }
}
