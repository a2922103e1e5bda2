import type { TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { openSecure } from '../support/tls-client.ts'

/** The frame types of RFC 9113 §6. */
export const types = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
}
export const endStream = 1
export const endHeaders = 4
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** RFC 9113 §4.1 */
export function toFrame(
  type: number,
  flags: number,
  stream: number,
  payload = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** GET https://x/ in the static table of HPACK (RFC 7541, appendix A), with the authority as text. */
export const getRoot = Buffer.from([0x82, 0x84, 0x87, 0x41, 0x01, 0x78])

/** A connection that has sent its preface and reads all frames. */
export async function openFrames(t: TestContext, origin: string): Promise<TLSSocket> {
  const socket = await openSecure(t, origin, 'h2')
  socket.resume().write(Buffer.concat([preface, toFrame(types.settings, 0, 0)]))
  return socket
}
