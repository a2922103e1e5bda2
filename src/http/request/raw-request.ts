import type { FastifyRequest } from 'fastify'

export type RawRequest = ReturnType<typeof toRawRequest>

export function toRawRequest({ raw }: FastifyRequest) {
  const { method = '', receivedMethod = method, originalUrl = '', rawHeaders } = raw
  // The pseudo-headers of HTTP/2 are no headers (RFC 9113 §8.3).
  const headers = toPairs(rawHeaders).filter(([name]) => !name.startsWith(':'))
  return { method: receivedMethod, target: originalUrl, headers }
}

export function toPairs(rawHeaders: readonly string[]) {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  )
}
