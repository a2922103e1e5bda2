import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Config } from '../config.ts'
import { answerConnect, answerExpectation } from './client-error.ts'

/** Over HTTPS, with HTTP/2 and HTTP/1.1, when there is a certificate; otherwise plain HTTP/1.1. */
export function createServer(config: Config, options: FastifyServerOptions): FastifyInstance {
  const { tlsCert: cert, tlsKey: key, headersSeconds, requestSeconds } = config
  const requestTimeout = requestSeconds * 1000
  const limits = {
    headersTimeout: headersSeconds * 1000,
    requestTimeout,
    connectionsCheckingInterval: 500,
    maxHeaderSize: config.maxHeaderBytes,
    // Checked by us, with the same answer as for any other bad host.
    requireHostHeader: false,
  }
  const https = { key, cert, allowHTTP1: true, ...limits }
  const protocol = key === undefined ? { http: limits } : { http2: true, https }
  const app = create({ ...options, requestTimeout, ...protocol })
  app.server.maxConnections = config.maxConnections
  app.server.on('connect', answerConnect)
  app.server.on('checkExpectation', answerExpectation)
  // A client may end its half of the connection behind its request and still wait for the answer.
  Object.assign(app.server, { httpAllowHalfOpen: true })
  return app
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
