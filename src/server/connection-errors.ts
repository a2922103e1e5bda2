import type { IncomingMessage, ServerResponse } from 'node:http'
import { Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import { defaultErrorHeaders } from '../http/response/default-headers.ts'
import { STATUS_CODES } from '../http/node-http.ts'

const errorResponses: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}

const closedConnectionCodes = ['ECONNRESET', 'ERR_TLS_HANDSHAKE_TIMEOUT']

/** Node's own properties: the response being sent, and the request being read. */
interface HttpSocket {
  _httpMessage?: ServerResponse | null
  parser?: { incoming?: IncomingMessage | null } | null
}

export function respondToClientError(error: Error & { code?: string }, socket: Duplex): void {
  const { code = '' } = error
  // A request after one that closes the connection gets no response.
  if (code === 'HPE_CLOSED_CONNECTION') return
  const { _httpMessage: pending, parser } = socket as HttpSocket
  // A valid request before the error gets its response first.
  if (pending?.req.complete === true && !pending.writableFinished) {
    pending.once('finish', () => {
      respondToClientError(error, socket)
    })
    return
  }
  // A request with an error in its body may have its response already.
  const hasResponse = parser?.incoming?.complete === false && pending?.headersSent !== false
  if (hasResponse || closedConnectionCodes.includes(code)) {
    socket.destroy()
    return
  }
  const [status, text] = errorResponses[code] ?? [400, 'The request is not valid HTTP.']
  respondOnSocket(socket, status, text)
}

/** RFC 9110 §9.3.6: not 405, since the target of CONNECT is no resource. */
export function respondToConnect(_request: unknown, socket: Duplex | Http2ServerResponse): void {
  if (socket instanceof Http2ServerResponse) socket.writeHead(501, defaultErrorHeaders).end()
  // Its response would be sent within that of an earlier request.
  else if (isResponding(socket)) socket.destroy()
  else respondOnSocket(socket, 501, 'CONNECT is not implemented.')
}

function isResponding(socket: Duplex): boolean {
  const { _httpMessage: pending } = socket as HttpSocket
  return pending?.writableFinished === false
}

function respondOnSocket(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const headers = {
    ...defaultErrorHeaders,
    date: new Date().toUTCString(),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(text.length + 1),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const statusLine = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`
  socket.end(`${statusLine}${lines.join('')}\r\n${text}\n`)
}
