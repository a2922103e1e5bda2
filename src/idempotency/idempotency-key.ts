import type { FastifyRequest } from 'fastify'
import { createHmac, hash } from 'node:crypto'
import { parseItem } from 'structured-headers'
import { badRequest } from '../http/errors/http-error.ts'
import { toPath } from '../http/request/target.ts'

const maxKeyLength = 255

// Most clients send a UUID without quotes, which is not a Structured Field.
const bareKey = /^[!#-+\--:<-~]+$/

/** A string of Structured Fields (draft-ietf-httpapi-idempotency-key-header §2.1) or a bare word. */
export function findKey(request: FastifyRequest): string | undefined {
  const field = request.headers['idempotency-key']
  if (field === undefined) return undefined
  const text = [field].flat().join(', ').trim()
  const key = bareKey.test(text) ? text : parseString(text)
  if (key !== undefined && key !== '' && key.length <= maxKeyLength) return key
  throw badRequest(
    `Idempotency-Key must be a quoted string or a word, of 1 to ${String(maxKeyLength)} characters.`,
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

export function hashKey(key: string, sessionId: string | undefined): string {
  return hash('sha256', JSON.stringify([sessionId ?? '', key]))
}

/** An HMAC with the key, which is not stored, so that a password in the body cannot be guessed. */
export function toFingerprint(key: string, request: FastifyRequest): string {
  const { method, url, query, body } = request
  const content = JSON.stringify([method, toPath(url), query, body])
  return createHmac('sha256', key).update(content).digest('hex')
}

export const claimedIds = new WeakMap<FastifyRequest, string>()

/** If a record with this id exists, an earlier attempt at the same request has created it. */
export function findClaimedId(request: FastifyRequest): string | undefined {
  return claimedIds.get(request)
}
