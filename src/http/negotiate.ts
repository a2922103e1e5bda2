import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

/**
 * Picks from `offers` the media type that the request's Accept likes best (RFC 9110 §12.5.1), the
 * earlier offer where it likes several alike; no Accept means the first. Undefined when none is
 * acceptable. Says in Vary that the answer was chosen by Accept.
 */
export function negotiate<Offer extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  offers: readonly Offer[],
): Offer | undefined {
  addVary(reply, 'Accept')
  return findPreferred(request.headers.accept, offers)
}

/** The pure half of {@link negotiate}. */
export function findPreferred<Offer extends string>(
  accept: string | undefined,
  offers: readonly Offer[],
): Offer | undefined {
  // What names no media range at all expresses no preference.
  if (accept === undefined || accept === '*/*' || !accept.includes('/')) return offers[0]
  // Nothing here comes in versions that a parameter could tell apart, and everything is UTF-8.
  const ranges = accept.replace(/;(?![ \t]*q=)[^;,"]*(?:"[^"]*")?/gi, '')
  const preferred = new Negotiator({ headers: { accept: ranges } }).mediaType([...offers])
  return offers.find((offer) => offer === preferred)
}

/** Adds a field name to Vary, once. */
export function addVary(reply: FastifyReply, field: string): void {
  const vary = reply.getHeader('vary')
  if (vary === undefined) reply.header('vary', field)
  else if (!String(vary).split(', ').includes(field)) {
    reply.header('vary', `${String(vary)}, ${field}`)
  }
}
