import { badRequest } from '../../http/errors/http-error.ts'
import { queryParameters } from '../../http/openapi/content.ts'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { toEndpoint, type Endpoint } from '../endpoint.ts'
import { paceItems } from '../../http/response/pacing.ts'
import { parseQueryInteger } from '../parameters.ts'
import { toRandomBytes } from '../random-bytes.ts'
import { renderRange } from '../ranges.ts'

const seed = { seed: ['The same seed gives the same bytes.', '1'] } as const
const chunkSize = { chunk_size: ['The size of each part in bytes.', '10'] } as const
const samples = { size: '26' }

export const byteEndpoints: readonly Endpoint[] = [
  toEndpoint(
    '/bytes/:size',
    'Send random bytes',
    (request) => {
      const { bytes, headers } = generateBytes(request)
      return { headers, body: bytes }
    },
    { mediaTypes: ['application/octet-stream'], samples, parameters: queryParameters(seed) },
  ),
  toEndpoint('/stream-bytes/:size', 'Send random bytes in chunks', streamBytes, {
    mediaTypes: ['application/octet-stream'],
    samples,
    parameters: queryParameters({ ...seed, ...chunkSize }),
  }),
  toEndpoint('/range/:size', 'Send letters, or ranges of them', renderRange, {
    mediaTypes: ['application/octet-stream', 'multipart/byteranges'],
    samples,
    statuses: [200, 206],
    parameters: queryParameters({ duration: ['The seconds of the transfer.', '0'], ...chunkSize }),
  }),
]

const maxPythonBytes = 100 * 1024

function generateBytes(request: BinRequest) {
  const { config, dialect } = request
  const { maxBodyBytes: max } = config
  const size = dialect.parseInteger(request.parameters[0] ?? '', 'byte count')
  const key = parseQueryInteger(request, 'seed')
  const given = `invalid byte count: ${String(size)}`
  if (size < 0) throw badRequest(`${given} must be greater than 0`)
  if (!dialect.isPython && size > max) throw badRequest(`${given} not in range [1, ${String(max)}]`)
  const bytes = toRandomBytes(dialect.isPython ? Math.min(size, maxPythonBytes, max) : size, key)
  const isEmpty = size === 0 && !dialect.isPython
  return { bytes, headers: isEmpty ? [] : [['Content-Type', 'application/octet-stream'] as const] }
}

/** A chunk costs about 5 µs: there would be a million in a mebibyte. */
const maxChunks = 10_000

function streamBytes(request: BinRequest): BinResponse {
  const { bytes, headers } = generateBytes(request)
  if (bytes.length === 0 && headers.length === 0) return { headers }
  const given = parseQueryInteger(request, 'chunk_size', 'Atoi') ?? 10 * 1024
  // In go-httpbin, no chunk has such a size, so that all bytes are in the last one.
  const whole = request.dialect.isPython ? 1 : bytes.length
  const chosen = given < 1 ? whole : given
  const size = Math.max(chosen, Math.ceil(bytes.length / maxChunks), 1)
  const count = Math.ceil(bytes.length / size)
  const toChunk = (index: number) => bytes.subarray(index * size, (index + 1) * size)
  return { headers, body: paceItems(request.reply, { count, pauseMs: 0 }, toChunk) }
}
