import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { evaluatePreconditions } from './conditional.ts'
import { preconditionFailed } from './refusal.ts'
import { toContentType } from './send.ts'

/** A text with the tag of its bytes. `mediaType` is without its charset. */
export interface TaggedText {
  mediaType: string
  text: string
  etag: string
}

/**
 * The tag is the same on every replica and after a restart. That of a page is weak, since what a
 * page says may stay while its markup changes.
 */
export function tag(mediaType: string, text: string): TaggedText {
  // Two representations may have the same bytes, as when both are empty.
  const sum = hash('sha256', mediaType + text, 'base64url')
  return { mediaType, text, etag: mediaType === 'text/html' ? `W/"${sum}"` : `"${sum}"` }
}

/** Answers 304 to a client that has the text; throws 412. */
export function sendTagged(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { mediaType, text, etag }: TaggedText,
): FastifyReply {
  reply.header('etag', etag)
  const outcome = evaluatePreconditions(headers, { etag })
  if (outcome === 'failed') throw preconditionFailed(etag)
  if (outcome === 'not modified') return reply.code(304).send()
  return reply.type(toContentType(mediaType)).send(text)
}
