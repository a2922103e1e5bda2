import type { FastifyRequest } from 'fastify'

/** A request as it was sent. Read its body with `readBytes`. */
export interface RawRequest {
  method: string
  /** Of an absolute form too, with `//`, `..` and every percent-encoding. */
  target: string
  /** In their order and case; a repeated header is listed repeatedly. */
  headers: readonly (readonly [name: string, value: string])[]
}

export function toRawRequest({ raw }: FastifyRequest): RawRequest {
  const { method = '', receivedMethod = method, originalUrl = '', rawHeaders } = raw
  const headers = rawHeaders
    .map((name, index) => [name, rawHeaders[index + 1] ?? ''] as const)
    // Every second entry is a value. The pseudo-headers of HTTP/2 are no headers (RFC 9113 §8.3).
    .filter(([name], index) => index % 2 === 0 && !name.startsWith(':'))
  return { method: receivedMethod, target: originalUrl, headers }
}
