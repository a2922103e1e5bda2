import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { headersOfEveryAnswer } from './every-answer.ts'

const answers: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}

/** Answers what is not even a request, on the bare socket, and closes it. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, text] = answers[error.code ?? ''] ?? [400, 'This is not HTTP that can be read.']
  const headers = {
    ...headersOfEveryAnswer,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(text.length + 1),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const statusLine = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`
  socket.end(`${statusLine}${lines.join('')}\r\n${text}\n`)
}
