import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import * as zlib from 'node:zlib'

export interface Row {
  /** `GET /get?a=1` */
  line: string
  /** Distinguishes it from other rows with the same line. */
  name?: string
  headers?: readonly string[]
  body?: string
  /** How the encoded `body` was written. Text if unset. */
  encoding?: 'base64'
}

export interface RecordedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  trailers?: Readonly<Record<string, string>>
}

/** Headers of the connection or the server, and those that we add. `docs/httpbin.md` lists them. */
const ignored = new Set(
  (
    'connection content-length content-security-policy date keep-alive referrer-policy server trailer transfer-encoding ' +
    'x-content-type-options x-request-id'
  ).split(' '),
)

/** Sends the request with this Host, so that every service sees the same. */
export async function exchange(port: number, row: Row): Promise<RecordedResponse> {
  const [method = '', path = ''] = row.line.split(' ')
  const payload = Buffer.from(row.body ?? '', row.encoding ?? 'utf8')
  const given = (row.headers ?? []).map((line) => /^([^:]+): ?(.*)$/.exec(line)?.slice(1) ?? [])
  const isChunked = given.some(([name]) => name === 'Transfer-Encoding')
  const length =
    payload.length > 0 && !isChunked ? [['Content-Length', String(payload.length)]] : []
  const all = [['Host', 'bin.test'], ...given, ...length, ['Connection', 'close']]
  const options = { host: '127.0.0.1', port, method, path, setHost: false }
  const sent = request({ ...options, headers: all.flat(), setDefaultHeaders: false })
  sent.end(payload)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const bytes = await buffer(response)
  const decode = decoders[response.headers['content-encoding'] ?? '']
  const body = bytes.length > 0 && decode ? decode(bytes) : bytes
  const isRandom = /^\w+ \/(stream-)?bytes\//.test(row.line) && response.statusCode === 200
  const isImage =
    row.line.includes(' /image') && response.headers['content-type']?.startsWith('image/') === true
  const trailers = toHeaders(response.rawTrailers)
  return {
    status: response.statusCode ?? 0,
    headers: toHeaders(response.rawHeaders),
    body: isRandom
      ? `<${String(body.length)} bytes>`
      : toComparable(isImage ? '' : body.toString()),
    ...(Object.keys(trailers).length > 0 && { trailers }),
  }
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
}

function toHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = toComparable(rawHeaders[index + 1] ?? '')
    if (ignored.has(name)) continue
    // The order of a set of methods has no meaning.
    const shown = name === 'allow' ? value.split(', ').toSorted().join(', ') : value
    headers[name] = name in headers ? `${headers[name] ?? ''}\n${shown}` : shown
  }
  return Object.fromEntries(
    Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** With the same text for what is different each time. */
function toComparable(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<uuid>')
    .replaceAll(/\b[\da-f]{32,}\b/g, '<hex>')
    .replaceAll(/(?<="timestamp":)\d+|(?<=total_duration;dur=)[\d.]+/g, '<time>')
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} (GMT|UTC)/g, (date) =>
      date.includes(' 1970 ') ? date : '<date>',
    )
}

export function get(path: string, ...headers: readonly string[]): Row {
  return { line: `GET ${path}`, headers }
}

export function toRows(paths: string): readonly Row[] {
  return paths.split(' ').map((path) => get(path))
}
