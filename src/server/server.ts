import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Config } from '../config/config.ts'
import { respondToConnect } from './connection-errors.ts'
import { delayContinue } from '../http/request/continue.ts'
import { endStalledConnections } from './end-stalled.ts'
import { serializePipelining } from './pipelining.ts'

const throwOnSchema = () => {
  throw new Error('no route has a schema of Fastify')
}

/** Without this Fastify loads two compilers of schemas: a sixth of the start, and memory for good. */
export const withoutSchemas: Pick<FastifyServerOptions, 'schemaController'> = {
  schemaController: {
    compilersFactory: { buildValidator: throwOnSchema, buildSerializer: throwOnSchema },
  },
}

/** Over HTTPS, with HTTP/2 and HTTP/1.1, when there is a certificate; otherwise plain HTTP/1.1. */
export function createServer(config: Config, options: FastifyServerOptions): FastifyInstance {
  const { tlsCert: cert, tlsKey: key, trustedProxies } = config
  const limits = toLimits(config)
  const { headersTimeout: handshakeTimeout, requestTimeout } = limits
  const settings = { maxConcurrentStreams: 100 }
  const https = { key, cert, allowHTTP1: true, handshakeTimeout, settings, ...limits }
  const protocol = key === undefined ? { http: limits } : { http2: true, https }
  // What has begun to arrive when the service is told to stop is still answered.
  const app = create({
    ...options,
    ...withoutSchemas,
    requestTimeout,
    connectionTimeout: config.sendIdleSeconds * 1000,
    return503OnClosing: false,
    ...(trustedProxies.length > 0 && { trustProxy: [...trustedProxies] }),
    ...protocol,
  })
  applyServerLimits(app.server, config)
  endStalledConnections(app.server)
  if (key !== undefined) closePendingHandshakes(app)
  return app
}

/** The options of a server of Node's that hold it to our limits. */
export function toLimits({ headersSeconds, requestSeconds, maxHeaderBytes }: Config) {
  return {
    // Node refuses one that is longer than the whole.
    headersTimeout: Math.min(headersSeconds, requestSeconds) * 1000,
    requestTimeout: requestSeconds * 1000,
    connectionsCheckingInterval: 500,
    maxHeaderSize: maxHeaderBytes,
    // Checked by us, with the same answer as for any other bad host.
    requireHostHeader: false,
  }
}

/** What cannot be said in the options. */
export function applyServerLimits(server: Server, { maxConnections }: Config): void {
  server.maxConnections = maxConnections
  serializePipelining(server)
  delayContinue(server)
  server.on('connect', respondToConnect)
  // Refused like anything else that is wrong with the head of a request.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // A client may end its half of the connection behind its request and still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true })
}

/** Closes what is still shaking hands when the service closes, and which nothing else would end. */
function closePendingHandshakes(app: FastifyInstance): void {
  const shaking = new Set<Socket>()
  app.server.on('connection', (socket) => {
    shaking.add(socket)
    socket.once('close', () => shaking.delete(socket))
  })
  app.server.on('secureConnection', ({ _parent }: TLSSocket & { _parent: Socket }) => {
    shaking.delete(_parent)
  })
  app.addHook('preClose', (done) => {
    for (const socket of shaking) socket.destroy()
    done()
  })
}

function create(options: object): FastifyInstance {
  try {
    // To the rooms HTTP/2 looks the same; only its types differ.
    return Fastify(options as FastifyServerOptions)
  } catch (error) {
    if (!('https' in options)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`TLS_CERT and TLS_KEY cannot be used: ${reason}`, { cause: error })
  }
}
