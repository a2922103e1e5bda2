import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { Html } from './html.ts'

export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}

export function sendPage(reply: FastifyReply, page: Html): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page.markup)
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

/** Text as it comes, with backpressure. `mediaType` is without its charset. */
export function sendPieces(
  reply: FastifyReply,
  mediaType: string,
  pieces: AsyncIterable<string>,
): FastifyReply {
  // A HEAD opens nothing: it would be read to its end for nothing.
  const content = reply.request.method === 'HEAD' ? [] : pieces
  return reply.type(toContentType(mediaType)).send(Readable.from(content, { objectMode: false }))
}
