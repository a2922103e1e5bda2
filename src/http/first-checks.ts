import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { takeControlFields } from './bodies.ts'
import { refuseCrossSite } from './cross-site.ts'
import { isSafe, refuseUnsafeLink } from './method-override.ts'
import { parseParameters } from './query-string.ts'
import { Refusal } from './refusal.ts'
import {
  refuseBadForwarding,
  refuseBadHead,
  refuseOtherHosts,
  toOrigin,
  toReceivedHost,
} from './request-head.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For probes, which call the service by any address. */
    anyHost?: boolean
  }
}

/** A parser may not throw: a refusal stands in for the query until {@link findRefusal} meets it. */
export function createQueryParser(config: Config) {
  return (text: string): Record<string, unknown> => {
    if (text === '') return {}
    try {
      const parameters: Record<string, unknown> = { ...parseParameters(text, config) }
      if (config.methodOverride) takeControlFields(parameters)
      return parameters
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error }
      throw error
    }
  }
}

/** What is wrong with a request before any room sees it. */
export function findRefusal(request: FastifyRequest, config: Config): Refusal | undefined {
  const { raw } = request
  try {
    refuseBadHead(raw, config)
    if (config.trustedProxies.length > 0) refuseBadForwarding(request)
    if (request.routeOptions.config.anyHost !== true) {
      refuseOtherHosts(config.allowedHosts, request.host, toReceivedHost(raw))
    }
    const { refusal } = request.query as { refusal?: unknown }
    if (refusal instanceof Refusal) throw refusal
    if (isSafe(request.method)) return undefined
    const ownOrigin = toOrigin(request)
    refuseUnsafeLink(raw, ownOrigin, config)
    refuseCrossSite(raw, ownOrigin, config.corsOrigins)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
