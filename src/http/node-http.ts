import { Http2ServerRequest } from 'node:http2'

// An import of node:http evaluates every getter: that of WebSocket takes 40 ms and 15 MB of a start.
export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http')

// RFC 9110 §15.5.14, §15.5.21; Node has the names of older RFCs.
Object.assign(STATUS_CODES, { 413: 'Content Too Large', 422: 'Unprocessable Content' })

/** Not by `httpVersion`: a request line of HTTP/1.1 may claim 2.0. */
export function isHttp2(raw: object): boolean {
  return raw instanceof Http2ServerRequest
}
