import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { evaluatePreconditions } from './preconditions.ts'
import { preconditionFailed } from '../errors/http-error.ts'
import { isRawRequest } from '../request/target.ts'
import { toContentType } from './send.ts'

export interface TaggedText {
  mediaType: string
  text: string
  etag: string
}

/** The tag is equal on every replica. A page has a weak one, since its markup may change alone. */
export function tag(mediaType: string, text: string): TaggedText {
  const sum = toSum(mediaType, text)
  return { mediaType, text, etag: mediaType === 'text/html' ? `W/${sum}` : sum }
}

function toSum(mediaType: string, text: string): string {
  // The media type, since two representations may both be empty.
  return `"${hash('sha256', mediaType + text, 'base64url')}"`
}

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

/**
 * Adds a weak tag to every 200 of a read with an untagged text, and evaluates the preconditions of the
 * request (RFC 9110 §13.2). A stream has no tag, and matches only `*`.
 */
export function tagResponses(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { method, raw } = request
    const isTagged = reply.statusCode !== 200 || reply.hasHeader('etag') || !isRead(method)
    if (isTagged || isRawRequest(raw)) {
      done(null, payload)
      return
    }
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    const etag = isWhole ? toWeakTag(reply, payload.toString()) : ''
    const outcome = evaluatePreconditions(request.headers, { etag })
    if (outcome === 'proceed') {
      done(null, payload)
      return
    }
    if (payload instanceof Readable) payload.destroy()
    if (outcome === 'failed') {
      done(preconditionFailed(etag))
      return
    }
    // RFC 9110 §15.4.5: a 304 has no content and no headers about it.
    reply.code(304).removeHeader('content-type').removeHeader('content-digest')
    // RFC 9110 §8.6: an empty text would add Content-Length: 0.
    // Fastify measures the content of every HEAD and fails on null.
    done(null, method === 'HEAD' ? '' : null)
  })
  // RFC 9110 §8.6: Fastify sets the Content-Length of a 304 to HEAD too.
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') return
    route.onSend = [...[route.onSend ?? []].flat(), dropLength]
  })
}

const dropLength: onSendHookHandler = (_request, reply, payload, done) => {
  if (reply.statusCode === 304) reply.removeHeader('content-length')
  done(null, payload)
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'QUERY'
}

function toWeakTag(reply: FastifyReply, text: string): string {
  if (!/no-cache|public/.test(String(reply.getHeader('cache-control')))) return ''
  const etag = `W/${toSum(String(reply.getHeader('content-type')), text)}`
  reply.header('etag', etag)
  return etag
}
