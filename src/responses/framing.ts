import type { FastifyReply } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, deflate, gzip, zstdCompress } from 'node:zlib'
import { findStream } from '../http/request/target.ts'
import { pace } from '../http/response/pacing.ts'
import type { VisitorResponse } from '../http/response/send-visitor-response.ts'
import { isWithoutContent } from '../http/response/without-content.ts'
import { nextTurn } from '../timers.ts'
import type { Description } from './description.ts'

const encoders = {
  gzip: promisify(gzip),
  deflate: promisify(deflate),
  zstd: promisify(zstdCompress),
  // The highest quality, which is the default, would take seconds.
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
}

export async function encode(bytes: Buffer, { encoding }: Description): Promise<Buffer> {
  return encoding === undefined || bytes.length === 0 ? bytes : encoders[encoding](bytes)
}

function toFraming({ framing, chunk_size: size, trailers }: Description) {
  return framing ?? (size === undefined && trailers === undefined ? 'length' : 'chunked')
}

export const isSentInChunks = ({ request }: FastifyReply, description: Description) =>
  toFraming(description) === 'chunked' && request.raw.httpVersion === '1.1'

export const isStreamed = (description: Description) =>
  toFraming(description) !== 'length' || description.chunk_size !== undefined

/** HTTP/2 has no framing to choose. */
export function frame(
  reply: FastifyReply,
  description: Description,
  bytes: Buffer,
): Pick<VisitorResponse, 'body' | 'size'> {
  const { status, close } = description
  const { length } = bytes
  const used = toFraming(description)
  if (close || used === 'close') closeConnection(reply)
  if (isWithoutContent(status) || !isStreamed(description)) return { body: bytes }
  // Node frames an empty body by its length if it is not told otherwise.
  if (used === 'close') {
    reply.raw.useChunkedEncodingByDefault = false
    reply.raw.removeHeader('content-length')
  } else if (isSentInChunks(reply, description)) {
    reply.header('transfer-encoding', 'chunked')
  }
  const body = toChunks(reply, bytes, description)
  return { body, ...(used === 'length' && { size: length }) }
}

export async function* toChunks(
  reply: FastifyReply,
  bytes: Buffer,
  { chunk_size: size = Math.max(bytes.length, 1), pause = 0 }: Description,
) {
  const count = Math.ceil(bytes.length / size)
  for await (const { start, end } of pace(reply, { count, pauseMs: pause * 1000 })) {
    for (let index = start; index < end; index += 1) {
      yield bytes.subarray(index * size, (index + 1) * size)
      // Node makes one chunk of all writes in a turn.
      await nextTurn()
    }
  }
}

function closeConnection(reply: FastifyReply): void {
  const stream = findStream(reply.raw)
  if (stream) stream.session?.close()
  else reply.header('connection', 'close')
}
