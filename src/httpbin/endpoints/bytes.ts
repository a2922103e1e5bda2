import { createCipheriv, hash, randomBytes } from 'node:crypto'
import { badRequest } from '../../http/errors/http-error.ts'
import { queryParameters } from '../../http/openapi/content.ts'
import { paceItems } from '../../http/response/pacing.ts'
import type { VisitorResponse } from '../../http/response/send-visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { toEndpoint } from '../endpoint.ts'
import { parseQueryInteger } from '../parameters.ts'
import { renderRange } from '../ranges.ts'

const seed = { seed: ['The same seed gives the same bytes.', '1'] } as const
const chunkSize = { chunk_size: ['The size of each part in bytes.', '10'] } as const
const mediaTypes = ['application/octet-stream']

export const byteEndpoints = [
  toEndpoint('/bytes/:size=26', 'Send random bytes', renderBytes, {
    mediaTypes,
    parameters: queryParameters(seed),
  }),
  toEndpoint('/stream-bytes/:size=26', 'Send random bytes in chunks', streamBytes, {
    mediaTypes,
    parameters: queryParameters({ ...seed, ...chunkSize }),
  }),
  toEndpoint('/range/:size=26', 'Send letters, or ranges of them', renderRange, {
    mediaTypes: [...mediaTypes, 'multipart/byteranges'],
    statuses: [200, 206],
    parameters: queryParameters({ duration: ['The seconds of the transfer.', '0'], ...chunkSize }),
  }),
]

/** With a seed, the key stream of a cipher: it starts alike for every size. */
export function toRandomBytes(size: number, seed: number | undefined): Buffer {
  if (seed === undefined) return randomBytes(size)
  const key = hash('md5', String(seed), 'buffer')
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}

const maxPythonBytes = 100 * 1024

function generateBytes(request: DialectRequest, text: string): Buffer {
  const { maxBodyBytes: max } = request.config
  const { isPython, parseInteger } = request.dialect
  const size = parseInteger(text, 'byte count')
  const key = parseQueryInteger(request, 'seed')
  const given = `invalid byte count: ${String(size)}`
  if (size < 0) throw badRequest(`${given} must be greater than 0`)
  if (!isPython && size > max) throw badRequest(`${given} not in range [1, ${String(max)}]`)
  return toRandomBytes(isPython ? Math.min(size, maxPythonBytes, max) : size, key)
}

function renderBytes(request: DialectRequest, size: string): VisitorResponse {
  const body = generateBytes(request, size)
  if (body.length === 0 && !request.dialect.isPython) return {}
  return { headers: [['Content-Type', 'application/octet-stream']], body }
}

/** A chunk costs about 5 µs: there would be a million in a mebibyte. */
const maxChunks = 10_000

function streamBytes(request: DialectRequest, text: string): VisitorResponse {
  const response = renderBytes(request, text)
  const { body } = response
  if (!Buffer.isBuffer(body)) return response
  const given = parseQueryInteger(request, 'chunk_size', 'Atoi') ?? 10 * 1024
  // In go-httpbin, no chunk has such a size, so that all bytes are in the last one.
  const whole = request.dialect.isPython ? 1 : body.length
  const size = Math.max(given < 1 ? whole : given, Math.ceil(body.length / maxChunks), 1)
  const count = Math.ceil(body.length / size)
  const toChunk = (index: number) => body.subarray(index * size, (index + 1) * size)
  return { ...response, body: paceItems(request.reply, { count, pauseMs: 0 }, toChunk) }
}
