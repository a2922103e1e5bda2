import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import type { XStatic } from 'typebox/schema'
import { HttpError } from '../errors/http-error.ts'
import { text } from '../openapi/content.ts'
import type { Loose } from '../openapi/json-schema.ts'
import { remember } from '../remember.ts'

export const negotiationSchema = {
  type: 'object',
  description: 'How the media type was chosen, if the URL has several.',
  required: ['offers', 'by'],
  properties: {
    offers: { type: 'array', items: text },
    chosen: text,
    by: { enum: ['accept', 'default', 'suffix'] },
  },
} as const

export type Negotiation = Loose<XStatic<typeof negotiationSchema>>

declare module 'fastify' {
  interface FastifyRequest {
    negotiation: Negotiation | undefined
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
  // Fastify creates these options at each access.
  const { mediaType } = request.routeOptions.config
  const named = offers.find((offer) => offer === mediaType)
  if (named !== undefined) {
    request.negotiation = { offers, chosen: named, by: 'suffix' }
    return named
  }
  const chosen = negotiate(request, reply, offers)
  if (chosen !== undefined) return chosen
  const detail = `Accept excludes all available media types: ${offers.join(', ')}.`
  throw new HttpError('not-acceptable', detail, { members: { offers } })
}

export function findPreferredType<Offer extends string>(
  accept: string | undefined,
  offers: readonly Offer[],
): Offer | undefined {
  if (accept === undefined || accept === '*/*' || !accept.includes('/')) return offers[0]
  const only = offers.find((offer) => offer === accept)
  if (only !== undefined) return only
  const preferred = findPreferred(`${offers.join()} ${accept}`)
  return offers.find((offer) => offer === preferred)
}

/** The key is the offers and Accept. No offer has a space or parameters. */
const findPreferred = remember((key) => {
  const end = key.indexOf(' ')
  // An invalid weight is ignored like another parameter (RFC 9110 §12.4.2).
  const accept = key.slice(end).replace(otherParameters, '')
  return new Negotiator({ headers: { accept } }).mediaTypes(key.slice(0, end).split(','))[0] ?? ''
})

// All parameters but a valid weight: they select no representation here.
const otherParameters =
  /;(?![ \t]*q=(?:0(?:\.\d*)?|1(?:\.0*)?)[ \t]*(?:[;,]|$))[^;,"]*(?:"[^"]*")?/gi

export function addVary(reply: FastifyReply, name: string): void {
  addMember(reply, 'vary', name)
}

export function addMember(reply: FastifyReply, header: string, member: string): void {
  const value = reply.getHeader(header)
  if (value === undefined) reply.header(header, member)
  else if (!`, ${String(value)}, `.includes(`, ${member}, `))
    reply.header(header, `${String(value)}, ${member}`)
}
