import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'

export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}

export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(value))
}

export function toContentType(mediaType: string): string {
  if (mediaType === 'application/x-ndjson') return mediaType
  return `${mediaType}; charset=utf-8${mediaType === 'text/csv' ? '; header=present' : ''}`
}

/** Longer text is streamed, without Content-Length and tag. */
const maxWholeLength = 65_536

export async function sendChunks(
  reply: FastifyReply,
  mediaType: string,
  chunks: AsyncGenerator<string>,
): Promise<FastifyReply> {
  reply.type(toContentType(mediaType))
  let text = ''
  while (text.length <= maxWholeLength) {
    const chunk = await chunks.next()
    // As bytes: Fastify adds a charset to text of every JSON type.
    if (chunk.done === true) return reply.send(Buffer.from(text))
    text += chunk.value
  }
  // Fastify would read the whole stream for a HEAD.
  const isHead = reply.request.method === 'HEAD'
  const content = Readable.from(isHead ? [] : withStart(text, chunks), { objectMode: false })
  // A generator that was never started does not end the inner one.
  content.once('close', () => void chunks.return(undefined))
  return reply.send(content)
}

async function* withStart(start: string, chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start
  yield* chunks
}
