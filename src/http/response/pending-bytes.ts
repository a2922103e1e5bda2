import type { ServerResponse } from 'node:http'
import { formatNumber } from '../../config/format-count.ts'
import { maxPendingBytes } from '../../config/limits.ts'
import { HttpError } from '../errors/http-error.ts'
import { isClosed } from './observe-response.ts'

const smallBytes = 4096
/** Shorter responses are always sent: an error in their place would hide the result of a write. */
export const maxAlwaysSentBytes = 64 * 1024

let pendingBytes = 0

export function assertMemoryLeft(bytes = 0): void {
  if (pendingBytes + bytes <= maxPendingBytes) return
  const headers = { connection: 'close' }
  const detail = `Responses of ${formatNumber(maxPendingBytes)} bytes wait to be read, the maximum.`
  throw new HttpError('unavailable', detail, { headers })
}

/** The length of a stream is unknown, and counts as 0. */
export const toHeldBytes = (content: unknown) =>
  typeof content === 'string' || Buffer.isBuffer(content) ? Buffer.byteLength(content) : 0

/** Counts the body of a stream that is in memory as a whole. Throws 503 if there is no space. */
export function holdBytes(raw: ServerResponse, bytes: number): void {
  assertMemoryLeft(bytes)
  addPending(raw, bytes)
}

export function addPending(raw: ServerResponse, bytes: number): void {
  // `close` has been emitted if the client disconnected during the handler.
  if (bytes <= smallBytes || isClosed(raw)) return
  pendingBytes += bytes
  raw.once('close', () => {
    pendingBytes -= bytes
  })
}
