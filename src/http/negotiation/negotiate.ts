import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { notAcceptable } from '../errors/http-error.ts'

export interface Negotiation {
  offers: readonly string[]
  chosen: string | undefined
  by: 'accept' | 'default' | 'suffix'
}

declare module 'fastify' {
  interface FastifyRequest {
    negotiation: Negotiation | undefined
  }
  interface FastifyContextConfig {
    mediaType?: string
  }
}

/** The offer that Accept prefers (RFC 9110 §12.5.1). Adds Vary: Accept. */
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

export const typeBySuffix = {
  html: 'text/html',
  json: 'application/json',
  txt: 'text/plain',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const

export function chooseType<Offer extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  offers: readonly Offer[],
): Offer {
  const named = offers.find((offer) => offer === request.routeOptions.config.mediaType)
  if (named !== undefined) {
    request.negotiation = { offers, chosen: named, by: 'suffix' }
    return named
  }
  const chosen = negotiate(request, reply, offers)
  if (chosen === undefined) throw notAcceptable(offers)
  return chosen
}

export function findPreferredType<Offer extends string>(
  accept: string | undefined,
  offers: readonly Offer[],
): Offer | undefined {
  if (accept === undefined || accept === '*/*' || !accept.includes('/')) return offers[0]
  const key = `${offers.join()} ${accept}`
  let preferred = preferences.get(key)
  if (preferred === undefined) {
    // No offer has parameters; an invalid weight is ignored like one (RFC 9110 §12.4.2).
    const ranges = accept.replace(otherParameters, '')
    preferred = new Negotiator({ headers: { accept: ranges } }).mediaTypes([...offers])[0] ?? ''
    if (preferences.size === maxPreferences) preferences.clear()
    if (accept.length <= maxCachedLength) preferences.set(key, preferred)
  }
  return offers.find((offer) => offer === preferred)
}

/** By offers and Accept: clients send few values, and parsing one costs a tenth of a small response. */
const preferences = new Map<string, string>()
const maxPreferences = 1000
const maxCachedLength = 300

const otherParameters =
  /;(?![ \t]*q=(?:0(?:\.\d*)?|1(?:\.0*)?)[ \t]*(?:[;,]|$))[^;,"]*(?:"[^"]*")?/gi

export function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary')
  if (vary === undefined) reply.header('vary', name)
  else if (!String(vary).split(', ').includes(name)) {
    reply.header('vary', `${String(vary)}, ${name}`)
  }
}
