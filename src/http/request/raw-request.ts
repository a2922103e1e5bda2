import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { isHttp2 } from './target.ts'

export type RawRequest = ReturnType<typeof toRawRequest>

export function toRawRequest({ raw }: FastifyRequest) {
  const { method = '', receivedMethod = method, originalUrl = '', rawHeaders } = raw
  const pairs = toPairs(rawHeaders)
  const headers = isHttp2(raw) ? withoutPseudoHeaders(pairs) : pairs
  return { method: receivedMethod, target: originalUrl, headers }
}

/** The pseudo-headers of HTTP/2 are no headers (RFC 9113 §8.3), but one of them is Host in HTTP/1.1. */
const withoutPseudoHeaders = (pairs: ReturnType<typeof toPairs>) =>
  pairs
    .map(([name, value]) => [name === ':authority' ? 'host' : name, value] as const)
    .filter(([name]) => !name.startsWith(':'))

/** RFC 9110 §7.6.1: fields of one connection and its messages, which another must not repeat. */
export const connectionFields =
  /^(connection|content-length|expect|host|http2-settings|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** Trailers are known at the end of the body. The requests of `inject` cannot have any. */
export const toTrailers = ({ rawTrailers = [] }: Partial<IncomingMessage>) => toPairs(rawTrailers)

export function toPairs(rawHeaders: readonly string[]) {
  const pairs: (readonly [name: string, value: string])[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  }
  return pairs
}
