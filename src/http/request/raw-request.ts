import type { FastifyRequest } from 'fastify'

export type RawRequest = ReturnType<typeof toRawRequest>

export function toRawRequest({ raw }: FastifyRequest) {
  const { method = '', receivedMethod = method, originalUrl = '', rawHeaders } = raw
  const headers = rawHeaders
    .map((name, index) => [name, rawHeaders[index + 1] ?? ''] as const)
    // Every second entry is a value. The pseudo-headers of HTTP/2 are no headers (RFC 9113 §8.3).
    .filter(([name], index) => index % 2 === 0 && !name.startsWith(':'))
  return { method: receivedMethod, target: originalUrl, headers }
}
