import type { FastifyRequest } from 'fastify'
import { createHash, createHmac } from 'node:crypto'
import { parseItem } from 'structured-headers'
import { badRequest } from '../http/errors/http-error.ts'
import { toPath } from '../http/request/target.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a repeated Idempotency-Key gets the answer that it got the first time. */
    replaysAnswers?: boolean
  }
}

const maxKeyLength = 255

// A UUID without quotes is what most clients send, and no Structured Field.
const bareKey = /^[!#-+\--:<-~]+$/

/**
 * The key that the request brings, if any; throws 400 for what cannot be one. It is a string of
 * Structured Fields (draft-ietf-httpapi-idempotency-key-header §2.1); bare words are taken too.
 */
export function findKey(request: FastifyRequest): string | undefined {
  const field = request.headers['idempotency-key']
  if (field === undefined) return undefined
  const text = [field].flat().join(', ').trim()
  const key = bareKey.test(text) ? text : parseString(text)
  if (key !== undefined && key !== '' && key.length <= maxKeyLength) return key
  throw badRequest(
    `Idempotency-Key is a string of 1 to ${String(maxKeyLength)} characters in quotes.`,
  )
}

function parseString(text: string): string | undefined {
  try {
    const value: unknown = parseItem(text)[0]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** What is kept of a key. `visitor` is the session id that came with it: everybody has their own keys. */
export function hashKey(key: string, visitor: string | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([visitor ?? '', key]))
    .digest('hex')
}

/**
 * Tells a request from another with the same key. Keyed with the key, which nobody keeps, since a
 * bare hash of the content would let its password be guessed.
 */
export function toFingerprint(key: string, request: FastifyRequest): string {
  const { method, url, query, body } = request
  const content = JSON.stringify([method, toPath(url), query, body])
  return createHmac('sha256', key).update(content).digest('hex')
}

const claimedIds = new WeakMap<FastifyRequest, string>()

export function setClaimedId(request: FastifyRequest, id: string): void {
  claimedIds.set(request, id)
}

/**
 * The id that a request with an Idempotency-Key has to give to what it creates. Where that id is
 * taken, an earlier attempt at this very request has created it: the record that is there is the
 * answer.
 */
export function findClaimedId(request: FastifyRequest): string | undefined {
  return claimedIds.get(request)
}
