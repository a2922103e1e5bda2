import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { notAcceptable } from '../errors/http-error.ts'

/** Which representation was chosen for a request, and why. */
export interface Negotiation {
  /** What there was to choose from. */
  offers: readonly string[]
  /** Undefined when none was acceptable. */
  chosen: string | undefined
  /** What decided: the Accept field, its absence, or a suffix of the address. */
  by: 'accept' | 'default' | 'address'
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The last choice made for this request; undefined when there was none to make. */
    negotiation: Negotiation | undefined
  }
}

/**
 * Picks from `offers` the media type that the request's Accept likes best (RFC 9110 §12.5.1): of
 * several that it likes alike the one it names first, or the earlier offer; no Accept means the
 * first. Undefined when none is acceptable. Says in Vary that the answer was chosen by Accept.
 */
export function negotiate<Offer extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  offers: readonly Offer[],
): Offer | undefined {
  addVary(reply, 'Accept')
  const { accept } = request.headers
  const chosen = findPreferredType(accept, offers)
  request.negotiation = { offers, chosen, by: accept === undefined ? 'default' : 'accept' }
  return chosen
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The one media type of a route whose address names it, as `/users.json` does. */
    mediaType?: string
  }
}

/** How an address says which media type is meant. */
export const typeBySuffix = {
  html: 'text/html',
  json: 'application/json',
  txt: 'text/plain',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const

/**
 * {@link negotiate} for a route that must answer in one of its types: throws 406 for none. Where the
 * address names a type there is nothing to negotiate.
 */
export function chooseType<Offer extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  offers: readonly Offer[],
): Offer {
  const named = offers.find((offer) => offer === request.routeOptions.config.mediaType)
  if (named !== undefined) {
    request.negotiation = { offers, chosen: named, by: 'address' }
    return named
  }
  const chosen = negotiate(request, reply, offers)
  if (chosen === undefined) throw notAcceptable(offers)
  return chosen
}

/** The pure half of {@link negotiate}. */
export function findPreferredType<Offer extends string>(
  accept: string | undefined,
  offers: readonly Offer[],
): Offer | undefined {
  // What names no media range at all expresses no preference.
  if (accept === undefined || accept === '*/*' || !accept.includes('/')) return offers[0]
  if (accept.length > maxRememberedLength) return parsePreferred(accept, offers)
  const key = `${offers.join()} ${accept}`
  let preferred = preferences.get(key)
  if (preferred === undefined && !preferences.has(key)) {
    preferred = parsePreferred(accept, offers)
    if (preferences.size === maxPreferences) preferences.clear()
    preferences.set(key, preferred)
  }
  return preferred as Offer | undefined
}

/**
 * What was preferred before, by offers and Accept: clients send few different ones, and to parse one
 * costs a tenth of a small answer.
 */
const preferences = new Map<string, string | undefined>()
const maxPreferences = 1000
const maxRememberedLength = 300

function parsePreferred<Offer extends string>(
  accept: string,
  offers: readonly Offer[],
): Offer | undefined {
  // Nothing here comes in versions that a parameter could tell apart, and everything is UTF-8.
  // A weight that is not valid (RFC 9110 §12.4.2) is dropped like any other parameter.
  const ranges = accept.replace(otherParameters, '')
  const preferred = new Negotiator({ headers: { accept: ranges } }).mediaType([...offers])
  return offers.find((offer) => offer === preferred)
}

const otherParameters =
  /;(?![ \t]*q=(?:0(?:\.\d*)?|1(?:\.0*)?)[ \t]*(?:[;,]|$))[^;,"]*(?:"[^"]*")?/gi

/** Adds a field name to Vary, once. */
export function addVary(reply: FastifyReply, field: string): void {
  const vary = reply.getHeader('vary')
  if (vary === undefined) reply.header('vary', field)
  else if (!String(vary).split(', ').includes(field)) {
    reply.header('vary', `${String(vary)}, ${field}`)
  }
}
