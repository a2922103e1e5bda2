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

/** Errors after which there is nobody to talk to. */
const closedConnectionCodes = ['ECONNRESET', 'ERR_TLS_HANDSHAKE_TIMEOUT']

/** What Node knows about a connection: the answer being sent, and the request being read. */
interface HttpSocket {
  _httpMessage?: ServerResponse | null
  parser?: { incoming?: IncomingMessage | null } | null
}

/** Answers what is not even a request. */
export function respondToClientError(error: Error & { code?: string }, socket: Duplex): void {
  const { code = '' } = error
  // Behind a request that asked to close there is nothing to answer any more.
  if (code === 'HPE_CLOSED_CONNECTION') return
  const { _httpMessage: pending, parser } = socket as HttpSocket
  // A whole request that came before the nonsense gets its own answer first.
  if (pending?.req.complete === true && !pending.writableFinished) {
    pending.once('finish', () => {
      respondToClientError(error, socket)
    })
    return
  }
  // A request that is broken in its content may have its answer already, and gets no other.
  const isAnswered = parser?.incoming?.complete === false && pending?.headersSent !== false
  if (isAnswered || closedConnectionCodes.includes(code)) {
    socket.destroy()
    return
  }
  const [status, text] = errorResponses[code] ?? [400, 'This is not HTTP that can be read.']
  respondOnSocket(socket, status, text)
}

/** RFC 9110 §9.3.6: this is no proxy. Its target is no resource, and so has no methods to allow. */
export function respondToConnect(_request: unknown, socket: Duplex | Http2ServerResponse): void {
  if (socket instanceof Http2ServerResponse) socket.writeHead(501, defaultErrorHeaders).end()
  // Its response would come in the midst of another, of a request before it.
  else if (isResponding(socket)) socket.destroy()
  else respondOnSocket(socket, 501, 'This server makes no tunnels.')
}

function isResponding(socket: Duplex): boolean {
  const { _httpMessage: pending } = socket as HttpSocket
  return pending?.writableFinished === false
}

/** A whole answer on the bare socket, which is closed behind it. */
function respondOnSocket(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const headers = {
    ...defaultErrorHeaders,
    // RFC 9110 §6.6.1
    date: new Date().toUTCString(),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(text.length + 1),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const statusLine = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`
  socket.end(`${statusLine}${lines.join('')}\r\n${text}\n`)
}
