import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

declare module 'node:http' {
  interface IncomingMessage {
    /** An id of our own, where the request goes by one that its client has chosen. */
    ownId?: string
  }
}

/**
 * What proxies and clients send, base64 and `Root=1-67…;Parent=…` too: nothing of it has a meaning in a
 * field, in JSON or on a terminal.
 */
const pattern = /^[\w.:;=@+/-]{1,128}$/

/** The client's X-Request-Id, where it can be used, and otherwise one of our own. */
export function toRequestId(raw: IncomingMessage): string {
  const own = randomUUID()
  const { 'x-request-id': asked } = raw.headers
  if (typeof asked !== 'string' || !pattern.test(asked)) return own
  raw.ownId = own
  return asked
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The id as a URI: one that is no UUID is its own content (RFC 2397). */
export function toRequestUri(id: string): string {
  return uuid.test(id) ? `urn:uuid:${id}` : `data:,${encodeURIComponent(id)}`
}
