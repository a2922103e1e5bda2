import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

declare module 'node:http' {
  interface IncomingMessage {
    /** Set where `id` was chosen by the client. */
    ownId?: string
  }
}

/** Ids of common proxies, such as `Root=1-67…;Parent=…`, without characters to escape in a log. */
const pattern = /^[\w.:;=@+/-]{1,128}$/

/** A valid X-Request-Id of the client, or a new UUID. */
export function toRequestId(raw: IncomingMessage): string {
  const own = randomUUID()
  const { 'x-request-id': sent } = raw.headers
  if (typeof sent !== 'string' || !pattern.test(sent)) return own
  raw.ownId = own
  return sent
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The id as a URI; an id that is not a UUID becomes a data URI (RFC 2397). */
export function toRequestUri(id: string): string {
  return uuid.test(id) ? `urn:uuid:${id}` : `data:,${encodeURIComponent(id)}`
}
