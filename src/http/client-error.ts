import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { headersOfEveryAnswer } from './every-answer.ts'

const answers: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}

/** Answers what is not even a request. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  const [status, text] = answers[error.code ?? ''] ?? [400, 'This is not HTTP that can be read.']
  if (error.code === 'ECONNRESET') socket.destroy()
  else answerOnSocket(socket, status, text)
}

/** RFC 9110 §9.3.6: this is no proxy. */
export function answerConnect(_request: unknown, socket: Duplex): void {
  answerOnSocket(socket, 405, 'This server makes no tunnels.', { allow: 'GET, HEAD, OPTIONS' })
}

/** A whole answer on the bare socket, which is closed behind it. */
function answerOnSocket(
  socket: Duplex,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const headers = {
    ...headersOfEveryAnswer,
    ...more,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(text.length + 1),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const statusLine = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`
  socket.end(`${statusLine}${lines.join('')}\r\n${text}\n`)
}
