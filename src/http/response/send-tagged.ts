import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { evaluatePreconditions, isNotModified } from './preconditions.ts'
import { preconditionFailed } from '../errors/http-error.ts'
import { remember } from '../remember.ts'
import { isRawRequest } from '../request/target.ts'
import { toContentType } from './send.ts'

export interface TaggedText {
  mediaType: string
  text: string
  etag: string
}

/** The tag is equal on every replica. A page has a weak one, since its markup may change alone. */
export function tag(mediaType: string, text: string): TaggedText {
  const weak = mediaType === 'text/html' ? 'W/' : ''
  return { mediaType, text, etag: weak + toStrongTag(mediaType + text) }
}

/** Of the media type too, since two representations may both be empty. */
const toStrongTag = remember((text) => `"${hash('sha256', text, 'base64url')}"`)

export function sendTagged(request: FastifyRequest, reply: FastifyReply, tagged: TaggedText) {
  const { mediaType, text, etag } = tagged
  reply.header('etag', etag)
  if (isNotModified(request.headers, tagged)) return reply.code(304).send()
  return reply.type(toContentType(mediaType)).send(text)
}

/** Adds a weak tag to an untagged text. A stream has none, and matches only `*`. */
export function revalidate(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const { headers, method, raw } = request
  const isTagged = reply.statusCode !== 200 || reply.hasHeader('etag')
  if (isTagged || !reads.includes(method) || isRawRequest(raw)) return payload
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
  const etag = isWhole ? toWeakTag(reply, payload.toString()) : ''
  const outcome = evaluatePreconditions(headers, { etag })
  if (outcome === 'proceed') return payload
  if (payload instanceof Readable) payload.destroy()
  if (outcome === 'failed') throw preconditionFailed(etag)
  // RFC 9110 §15.4.5: a 304 has no content and no headers about it.
  reply.code(304).removeHeader('content-type').removeHeader('content-digest')
  return null
}

const reads = ['GET', 'HEAD', 'QUERY']

function toWeakTag(reply: FastifyReply, text: string): string {
  if (!/no-cache|public/.test(String(reply.getHeader('cache-control')))) return ''
  const etag = `W/${toStrongTag(String(reply.getHeader('content-type')) + text)}`
  reply.header('etag', etag)
  return etag
}
