import type { FastifyBaseLogger } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import { formatNumber } from '../config/format-count.ts'
import { defaultErrorHeaders, toTextErrorHeaders } from '../http/response/default-headers.ts'
import { renderLastHead } from '../http/response/last-head.ts'

export type HttpConnection = Duplex & {
  _httpMessage?: ServerResponse | null
  server?: object | null
  parser?: {
    incoming?: IncomingMessage | null
    onIncoming: (request: IncomingMessage, keepsAlive: boolean) => number
  } | null
}

export type RequestLog = Pick<FastifyBaseLogger, 'info'>

type ErrorResponse = readonly [status: number, text: string]

const notHttp: ErrorResponse = [400, 'The request is not valid HTTP.']
const noConnect: ErrorResponse = [501, 'CONNECT is not implemented.']
const badTarget: ErrorResponse = [
  400,
  'The request target has a character that is not allowed. Percent-encode it: ü is %C3%BC.',
]
const errorResponses: Readonly<Record<string, ErrorResponse>> = {
  HPE_INVALID_URL: badTarget,
  // The limit is that of Node: kMaxChunkExtensionsSize.
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions exceed 16,384 bytes.'],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'The request did not arrive within HEADERS_SECONDS and REQUEST_SECONDS.',
  ],
}

export interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
  bytesParsed?: number
}

export function respondToClientError(
  error: ClientError,
  socket: HttpConnection,
  log?: RequestLog,
): void {
  const { code = '' } = error
  // A request after one that closes the connection gets no response.
  if (code === 'HPE_CLOSED_CONNECTION') return
  const { _httpMessage: pending, parser } = socket
  // A valid request before the error gets its response first.
  if (pending?.req.complete === true && !pending.writableFinished) {
    pending.once('finish', () => {
      respondToClientError(error, socket, log)
    })
    return
  }
  const incoming = parser?.incoming?.complete === false ? parser.incoming : undefined
  // A request with an error in its body may have its response already.
  const hasResponse = incoming && pending?.headersSent !== false
  const isClosed = code === 'ECONNRESET' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT'
  if (hasResponse || isClosed) socket.destroy()
  else {
    const method = incoming ? (incoming.receivedMethod ?? incoming.method) : findMethod(error)
    const response =
      code === 'HPE_HEADER_OVERFLOW' ? toOverflow(socket) : (errorResponses[code] ?? notHttp)
    if (!incoming) log?.info({ status: response[0], failure: code }, response[1])
    sendPlainText(socket, response, method === 'HEAD')
  }
}

function toOverflow({ server }: HttpConnection): ErrorResponse {
  const limit = server && 'maxHeaderSize' in server ? Number(server.maxHeaderSize) : 16_384
  return [431, `The headers exceed ${formatNumber(limit)} bytes (MAX_HEADER_BYTES).`]
}

/** Undefined if the head, which was not parsed, began in an earlier packet. */
function findMethod({ rawPacket, bytesParsed }: ClientError): string | undefined {
  const head = rawPacket?.toString('latin1', 0, bytesParsed).split('\r\n\r\n').at(-1)
  return head?.trimStart().split(' ', 1)[0]
}

/** RFC 9110 §9.3.6: not 405, since the target of CONNECT is no resource. */
export function respondToConnect(
  socket: HttpConnection | Http2ServerResponse,
  log: RequestLog | undefined,
): void {
  log?.info({ method: 'CONNECT', status: noConnect[0] }, noConnect[1])
  if ('stream' in socket) socket.writeHead(noConnect[0], defaultErrorHeaders).end()
  // Its response would be sent within that of an earlier request.
  else if (socket._httpMessage?.writableFinished === false) socket.destroy()
  else {
    // Node no longer watches this connection: without this, a client could keep it open for ever.
    socket.once('finish', () => socket.destroy())
    sendPlainText(socket, noConnect)
  }
}

function sendPlainText(socket: Duplex, [status, text]: ErrorResponse, isHead = false): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const head = renderLastHead(status, toTextErrorHeaders(`${text}\n`))
  // RFC 9110 §9.3.2: a response to HEAD has no content.
  socket.end(isHead ? head : `${head}${text}\n`)
}
