import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import type { PathFinder } from './allowed-methods.ts'
import { awaitsContinue } from './continue.ts'
import { isWriteAllowed, assertSameSite } from '../security/cross-site.ts'
import { isSafe, overrideHeader, assertNotUnsafeLink } from './method-override.ts'
import { HttpError } from '../errors/http-error.ts'
import {
  assertForwarding,
  assertRequestHead,
  assertHostAllowed,
  toOrigin,
  toReceivedHost,
} from './request-head.ts'
import { isRawRequest, toPath } from './target.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    anyHost?: boolean
  }
}

/** Sets `request.query`, and returns what is wrong with the request before any handler sees it. */
export function findRequestError(request: FastifyRequest, config: Config): HttpError | undefined {
  return catchHttpError(() => {
    assertRequest(request, config)
  })
}

function assertRequest(request: FastifyRequest, config: Config): void {
  const { raw } = request
  assertRequestHead(raw, config)
  if (config.trustedProxies.length > 0) assertForwarding(request)
  if (request.routeOptions.config.anyHost !== true) {
    assertHostAllowed(config.allowedHosts, request.host, toReceivedHost(raw))
  }
  if (isRawRequest(raw)) return
  request.query = raw.target?.query.parameters
  if (isSafe(request.method)) return
  const ownOrigin = toOrigin(request)
  assertNotUnsafeLink(raw, ownOrigin, config)
  assertSameSite(raw, ownOrigin, config.corsOrigins)
}

export function catchHttpError(check: () => void): HttpError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

/**
 * Creates the function that finds whether the head alone decides the response, whatever `_method` the
 * body has. Where the client does not wait for 100, only the head itself is checked.
 */
export function createHeadCheck(config: Config, hasPath: PathFinder) {
  const isForwarded = config.trustedProxies.length > 0
  return async (raw: IncomingMessage): Promise<boolean> => {
    const error = catchHttpError(() => {
      assertRequestHead(raw, config)
      // What a proxy forwards is known only after routing.
      if (!isForwarded) assertHostAllowed(config.allowedHosts, toReceivedHost(raw))
    })
    if (error) return true
    if (!awaitsContinue(raw)) return false
    if (!isForwarded && isForeignWrite(raw, config)) return true
    // A path that cannot be looked up gets its error from the route.
    const isKnown = await hasPath(toPath(raw.url ?? '')).catch(() => true)
    return !isKnown
  }
}

/** By the method of the request line: browsers do not wait for 100. */
function isForeignWrite(raw: IncomingMessage, config: Config): boolean {
  const { method = '', headers } = raw
  if (isSafe(method) || headers[overrideHeader] !== undefined) return false
  const ownOrigin = `${config.tlsKey === undefined ? 'http' : 'https'}://${toReceivedHost(raw)}`
  return !isWriteAllowed(raw, ownOrigin, config.corsOrigins)
}
