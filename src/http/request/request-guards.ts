import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import type { PathFinder } from './allowed-methods.ts'
import { takeFormHeaders } from '../body/body-reader.ts'
import { awaitsContinue } from './continue.ts'
import { isWriteAllowed, assertSameSite } from '../security/cross-site.ts'
import { isSafe, overrideHeader, assertNotUnsafeLink } from './method-override.ts'
import { parseParameters } from './query-string.ts'
import { HttpError } from '../errors/http-error.ts'
import {
  assertForwarding,
  assertRequestHead,
  refuseOtherHosts,
  toOrigin,
  toReceivedHost,
} from './request-head.ts'
import { toPath } from './target.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For probes, which call the service by any address. */
    anyHost?: boolean
  }
}

/** A parser may not throw: a refusal stands in for the query until {@link findRequestError} meets it. */
export function createQueryParser(config: Config) {
  return (text: string): Record<string, unknown> => {
    if (text === '') return {}
    try {
      const parameters: Record<string, unknown> = { ...parseParameters(text, config) }
      if (config.methodOverride) takeFormHeaders(parameters)
      return parameters
    } catch (error) {
      if (error instanceof HttpError) return { refusal: error }
      throw error
    }
  }
}

/** What is wrong with a request before any room sees it. */
export function findRequestError(request: FastifyRequest, config: Config): HttpError | undefined {
  const { raw } = request
  try {
    assertRequestHead(raw, config)
    if (config.trustedProxies.length > 0) assertForwarding(request)
    if (request.routeOptions.config.anyHost !== true) {
      refuseOtherHosts(config.allowedHosts, request.host, toReceivedHost(raw))
    }
    const { refusal } = request.query as { refusal?: unknown }
    if (refusal instanceof HttpError) throw refusal
    if (isSafe(request.method)) return undefined
    const ownOrigin = toOrigin(request)
    assertNotUnsafeLink(raw, ownOrigin, config)
    assertSameSite(raw, ownOrigin, config.corsOrigins)
    return undefined
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

/**
 * Makes the function that finds out whether the header section alone decides the response, whatever
 * `_method` the body may carry. Of a body that is on its way in any case, only the head is checked.
 */
export function createHeadCheck(config: Config, hasPath: PathFinder) {
  const isForwarded = config.trustedProxies.length > 0
  return async (raw: IncomingMessage): Promise<boolean> => {
    try {
      assertRequestHead(raw, config)
      // What a proxy forwards is known only later.
      if (!isForwarded) refuseOtherHosts(config.allowedHosts, toReceivedHost(raw))
    } catch (error) {
      if (error instanceof HttpError) return true
      throw error
    }
    if (!awaitsContinue(raw)) return false
    return (!isForwarded && isForeignWrite(raw, config)) || !(await hasPath(toPath(raw.url ?? '')))
  }
}

/** Of a client that waits for 100 the method in the request line is judged: no browser does so. */
function isForeignWrite(raw: IncomingMessage, config: Config): boolean {
  const { method = '', headers } = raw
  if (isSafe(method) || headers[overrideHeader] !== undefined) return false
  const ownOrigin = `${config.tlsKey === undefined ? 'http' : 'https'}://${toReceivedHost(raw)}`
  return !isWriteAllowed(raw, ownOrigin, config.corsOrigins)
}
