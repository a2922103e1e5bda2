import type { OutgoingHttpHeaders } from 'node:http'
import { STATUS_CODES } from '../node-http.ts'

/** The status line and headers of the last response of a connection, for what Node does not send. */
export function renderLastHead(
  status: number,
  headers: OutgoingHttpHeaders,
  reason = STATUS_CODES[status] ?? '',
): string {
  const all = { ...headers, date: new Date().toUTCString(), connection: 'close' }
  const lines = Object.entries(all).flatMap(([name, value = []]) =>
    [value].flat().map((one) => `${name}: ${String(one)}\r\n`),
  )
  return `HTTP/1.1 ${String(status)} ${reason}\r\n${lines.join('')}\r\n`
}
