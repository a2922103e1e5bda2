import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { awaitsContinue } from './continue.ts'
import { assertSameSite } from '../security/cross-site.ts'
import { isSafe, overrideHeader, assertNotUnsafeLink } from './method-override.ts'
import { HttpError } from '../errors/http-error.ts'
import { assertMemoryLeft } from '../response/finish-responses.ts'
import {
  assertForwarding,
  assertRequestHead,
  assertHostAllowed,
  toOrigin,
  toReceivedHost,
} from './request-head.ts'
import { isRawRequest, toPath } from './target.ts'

/** Sets `request.query`, and returns what is wrong with the request. */
export function findRequestError(request: FastifyRequest, config: Config): HttpError | undefined {
  return catchHttpError(() => {
    const { raw } = request
    assertRequestHead(raw, config)
    if (config.trustedProxies.length > 0) assertForwarding(request)
    const error = catchHttpError(() => {
      assertHostAllowed(config.allowedHosts, request.host, toReceivedHost(raw))
      assertMemoryLeft()
    })
    if (error && request.routeOptions.config.anyHost !== true) throw error
    if (isRawRequest(raw)) return
    request.query = raw.target?.query.parameters
    if (isSafe(request.method)) return
    const own = toOrigin(request)
    assertNotUnsafeLink(raw, own, config)
    assertSameSite(raw, { own, others: config.corsOrigins })
  })
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

/** Whether the head alone decides the response, whatever `_method` the body has. */
export function createHeadCheck(config: Config, hasPath: (path: string) => Promise<boolean>) {
  const { tlsKey, trustedProxies, corsOrigins: others } = config
  return (raw: IncomingMessage): boolean | Promise<boolean> => {
    const isWaiting = awaitsContinue(raw)
    const error = catchHttpError(() => {
      assertRequestHead(raw, config)
      if (trustedProxies.length > 0) return
      assertHostAllowed(config.allowedHosts, toReceivedHost(raw))
      // Browsers do not wait for 100, so that the method of the request line decides.
      if (!isWaiting || isSafe(raw.method ?? '') || overrideHeader in raw.headers) return
      const scheme = tlsKey === undefined ? 'http' : 'https'
      assertSameSite(raw, { own: `${scheme}://${toReceivedHost(raw)}`, others })
    })
    if (error || !isWaiting) return error !== undefined
    // A path that cannot be looked up gets its error from the route.
    return hasPath(toPath(raw.url ?? '')).then(
      (isThere) => !isThere,
      () => false,
    )
  }
}
