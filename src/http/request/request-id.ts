import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export function toRequestId(raw: IncomingMessage): string {
  const own = randomUUID()
  const sent = raw.headers['x-request-id']
  if (typeof sent !== 'string' || !/^[\w.:;=@+/-]{1,128}$/.test(sent)) return own
  raw.ownId = own
  return sent
}

export function toRequestUri(id: string): string {
  const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
  return isUuid ? `urn:uuid:${id}` : `data:,${encodeURIComponent(id)}`
}
