import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'

export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}

/** Any JSON value; a string too, which Fastify by itself would take for JSON text. */
export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(value))
}

/** The Content-Type of text in a media type. */
export function toContentType(mediaType: string): string {
  switch (mediaType) {
    case 'application/x-ndjson':
      return mediaType
    case 'text/csv':
      // RFC 4180 §3
      return 'text/csv; charset=utf-8; header=present'
    default:
      return `${mediaType}; charset=utf-8`
  }
}

/** Text up to this length is sent whole, with Content-Length and a tag. */
const maxWholeLength = 65_536

/** Short text whole, longer text as it comes, with backpressure. `mediaType` is without its charset. */
export async function sendChunks(
  reply: FastifyReply,
  mediaType: string,
  pieces: AsyncGenerator<string>,
): Promise<FastifyReply> {
  reply.type(toContentType(mediaType))
  let text = ''
  while (text.length <= maxWholeLength) {
    const piece = await pieces.next()
    // As bytes, since Fastify names a charset for text of every JSON type.
    if (piece.done === true) return reply.send(Buffer.from(text))
    text += piece.value
  }
  // Fastify reads what it sends to a HEAD to its end.
  const isHead = reply.request.method === 'HEAD'
  const content = Readable.from(isHead ? [] : withStart(text, pieces), { objectMode: false })
  // A generator that was never started does not end the one that it waits for.
  content.once('close', () => void pieces.return(undefined))
  return reply.send(content)
}

async function* withStart(start: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start
  yield* pieces
}
