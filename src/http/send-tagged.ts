import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { evaluatePreconditions } from './conditional.ts'
import { preconditionFailed } from './refusal.ts'
import { toContentType } from './send.ts'

/**
 * Sends text with a tag of its bytes: the same on every replica and after a restart. That of a page
 * is weak, since what a page says may stay while its markup changes. Answers 304 to a client that
 * has it; throws 412. `mediaType` is without its charset.
 */
export function sendTagged(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { mediaType, text }: { mediaType: string; text: string },
): FastifyReply {
  // Two representations may have the same bytes, as when both are empty.
  const tag = hash('sha256', mediaType + text, 'base64url')
  const etag = mediaType === 'text/html' ? `W/"${tag}"` : `"${tag}"`
  reply.header('etag', etag)
  const outcome = evaluatePreconditions(headers, { etag })
  if (outcome === 'failed') throw preconditionFailed(etag)
  if (outcome === 'not modified') return reply.code(304).send()
  return reply.type(toContentType(mediaType)).send(text)
}
