import type { FastifyReply, FastifyRequest } from 'fastify'
import { takeFlash } from '../../site/flash.ts'
import type { Html } from '../../site/html.ts'
import { addVary } from '../../http/negotiation/negotiate.ts'

/** What an answer in this media type has to say once, if anything; only a page can. */
export function takePageFlash(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
): Html | undefined {
  if (type === 'text/html') {
    const flash = takeFlash(request, reply)
    return flash.markup === '' ? undefined : flash
  }
  // RFC 9110 §12.5.5: a page at this address would have depended on it.
  if (request.routeOptions.config.mediaType === undefined) addVary(reply, 'Cookie')
  return undefined
}
