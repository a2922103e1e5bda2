import type { IncomingMessage } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import type { Config } from '../../config/config.ts'
import { awaitsContinue, sendContinue } from '../request/continue.ts'
import { createDigestCheck } from './digest.ts'
import { isHttp2 } from '../response/framing.ts'
import { parseJson } from './parse-json.ts'
import { decodeUtf8, parseParameters } from '../request/query-string.ts'
import {
  badRequest,
  contentTooLarge,
  type HttpError,
  requestTimeout,
  unknownCoding,
  unsupportedMediaType,
} from '../errors/http-error.ts'

/**
 * What a form without script may say in place of a header: they are taken out of every query string
 * and every JSON and form body, so that no handler sees them as fields.
 */
export const formHeaderNames = ['_method', '_if_match', '_idempotency_key'] as const
type FormHeaders = Partial<Record<(typeof formHeaderNames)[number], unknown>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route reads its body itself, or not at all: the readers here leave it alone. */
    readsBodyItself?: boolean
  }
}

export interface Body {
  /** What the reader made of the content; undefined when there was none, or no reader takes it. */
  value: unknown
  formHeaders: FormHeaders
}

/** A promise only until the content has been read. */
export type BodyReader = (raw: IncomingMessage) => Body | Promise<Body>

const absent: Body = { value: undefined, formHeaders: {} }

/**
 * Makes the one function that reads bodies. It may be asked many times about a request and reads
 * once. It refuses what is too large (413), encoded (415), or not what its type or its digest says
 * (400). Multipart is not read here but by the routes that want it.
 */
export function createBodyReader(config: Config): BodyReader {
  const bodies = new WeakMap<IncomingMessage, Body | Promise<Body>>()

  async function read(raw: IncomingMessage, parse: (text: string) => unknown): Promise<Body> {
    assertNoEncoding(raw)
    assertUtf8(raw)
    const digests = createDigestCheck(raw.headers)
    const bytes = await collect(raw, config)
    digests.update(bytes)
    digests.verify()
    // An empty body is an absent one, whatever its type.
    const value = bytes.length === 0 ? undefined : parse(decodeUtf8(bytes))
    const body = { value, formHeaders: config.methodOverride ? takeFormHeaders(value) : {} }
    bodies.set(raw, body)
    return body
  }

  return (raw) => {
    if (!hasBody(raw)) return absent
    const known = bodies.get(raw)
    if (known !== undefined) return known
    const parse = findParser(toMediaType(raw.headers['content-type']), config)
    if (parse === undefined) return absent
    const reading = read(raw, parse)
    bodies.set(raw, reading)
    return reading
  }
}

/** Hands on at once what has been read: to await it at every step would cost a twentieth of a POST. */
export function withBody(
  body: Body | Promise<Body>,
  take: (body: Body) => void,
  refuse: (error: Error) => void,
): void {
  if (body instanceof Promise) body.then(take).catch(refuse)
  else take(body)
}

/** Whether the request has content at all (RFC 9112 §6: a length or a transfer coding says so). */
export function hasBody(raw: IncomingMessage): boolean {
  const { headers } = raw
  // HTTP/2 says it by the end of the stream, and needs neither (RFC 9113 §8.1).
  const request: object = raw
  if (request instanceof Http2ServerRequest) return !request.stream.endAfterHeaders
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const mediaType = /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;|$)/

/**
 * The media type without its parameters, in lower case; empty when there is none. One that cannot
 * be read is as good as unknown (RFC 9110 §8.3).
 */
export function toMediaType(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  return mediaType.exec(contentType)?.[1]?.toLowerCase() ?? unknownType
}

const unknownType = 'application/octet-stream'

/** JSON itself, and what is written in it; a text of any kind is text. */
function isJsonType(type: string): boolean {
  return type === 'application/json' || /^(?!text\/).+\+json$/.test(type)
}

/** Whether the type is one in which fields by name come: JSON, a form, or none, which is JSON. */
export function isFieldsType(type: string): boolean {
  return type === '' || isJsonType(type) || type === 'application/x-www-form-urlencoded'
}

/** Whether the content is what a form of a page sends, unless it sends files. */
export function isForm({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return toMediaType(headers['content-type']) === 'application/x-www-form-urlencoded'
}

/** Fastify itself would refuse a Content-Type that cannot be read. */
export function replaceUnreadableType({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  if (type !== undefined && !mediaType.test(type)) headers['content-type'] = unknownType
}

function findParser(type: string, config: Config): ((text: string) => unknown) | undefined {
  const { bodyReaders } = config
  // Seed, general convention 3: by default the body is read as JSON.
  if (type === '' || isJsonType(type)) {
    return bodyReaders.includes('json') ? (text) => parseJson(text, config) : undefined
  }
  if (type === 'application/x-www-form-urlencoded') {
    return bodyReaders.includes('form') ? (text) => parseParameters(text, config) : undefined
  }
  if (type.startsWith('text/')) return bodyReaders.includes('text') ? String : undefined
  return undefined
}

/** Throws 415 for content that is encoded, 501 for a transfer coding other than chunked. */
export function assertNoEncoding(raw: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': coding } = raw.headers
  // RFC 9112 §6.1
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw unknownCoding(coding)
  if (encoding.toLowerCase() === 'identity') return
  throw unsupportedMediaType('Content is read as it is; Content-Encoding is not undone.', {
    'accept-encoding': 'identity',
  })
}

/** Throws 415 for text in another charset than UTF-8, of which ASCII is a part. */
function assertUtf8({ headers }: IncomingMessage): void {
  const [, charset = 'utf-8'] =
    /;[ \t]*charset="?([^";]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (/^(utf-?8|us-ascii)$/i.test(charset.trim())) return
  throw unsupportedMediaType(`Text is read as UTF-8 and not as ${charset}.`)
}

/** So much of what nobody wants is still read before it is refused. */
const maxDiscardedBytes = 4 * 1024 * 1024

/**
 * Reads the rest of content that is refused, for a client that looks for the answer only when it has
 * sent everything. Where that would be too much, the answer comes at once, and the connection is
 * closed when the client goes on regardless.
 */
export async function discardRest(raw: IncomingMessage, times: BodyTimes): Promise<void> {
  if (raw.readableEnded || raw.destroyed || awaitsContinue(raw)) return
  let size = 0
  const isLong = Number(raw.headers['content-length'] ?? 0) > maxDiscardedBytes
  await new Promise<void>((resolve) => {
    if (isLong) resolve()
    watchBody(raw, times, () => {
      resolve()
    })
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxDiscardedBytes) resolve()
      if (size > 2 * maxDiscardedBytes) raw.destroy()
    })
    raw.on('end', resolve).on('close', resolve).resume()
  })
}

export type BodyTimes = Pick<Config, 'bodyIdleSeconds' | 'requestSeconds'>

/**
 * Calls `onLate` with a 408 when the content stops arriving before its end, or goes on arriving for
 * too long, which Node itself ends over HTTP/1.1 alone.
 */
export function watchBody(
  raw: IncomingMessage,
  { bodyIdleSeconds, requestSeconds }: BodyTimes,
  onLate: (refusal: HttpError) => void,
): void {
  const idle = setTimeout(() => {
    stop()
    onLate(requestTimeout('The content stopped arriving.'))
  }, bodyIdleSeconds * 1000)
  const whole = setTimeout(() => {
    stop()
    onLate(requestTimeout('The content took too long to arrive.'))
  }, requestSeconds * 1000)
  // The connection keeps the process up, and not the wait for what may never come.
  idle.unref()
  whole.unref()
  const refresh = () => idle.refresh()
  const stop = () => {
    raw.off('data', refresh)
    clearTimeout(idle)
    clearTimeout(whole)
  }
  raw.on('data', refresh).on('end', stop).on('close', stop)
}

async function collect(raw: IncomingMessage, config: Config): Promise<Buffer> {
  const { maxBodyBytes: maxBytes } = config
  const tooLarge = () => contentTooLarge(`The content is over ${String(maxBytes)} bytes.`)
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  sendContinue(raw)
  const whole = await readAvailable(raw)
  if (whole !== undefined) {
    if (whole.length > maxBytes) throw tooLarge()
    return whole
  }
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    watchBody(raw, config, reject)
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) reject(tooLarge())
      else chunks.push(chunk)
    })
    raw.on('end', () => {
      // Over HTTP/2 a lost connection ends it as if it were whole (RFC 9113 §8.1.1).
      const request: object = raw
      const isCutOff = request instanceof Http2ServerRequest && request.stream.aborted
      if (isCutOff) reject(badRequest('The content ended early.'))
      else resolve(Buffer.concat(chunks))
    })
    raw.on('error', (error) => {
      reject(badRequest('The content ended early.', error))
    })
  })
}

/**
 * The content, when all of it came together with the head: Node has parsed what came at once before
 * an immediate runs. Without listeners and timers that saves a quarter of a small POST.
 */
async function readAvailable(raw: IncomingMessage): Promise<Buffer | undefined> {
  await new Promise(setImmediate)
  // Nothing would be emitted any more.
  if (raw.destroyed) throw badRequest('The content ended early.')
  // HTTP/2 calls complete what was aborted, too.
  if (!raw.complete || isHttp2(raw)) return undefined
  // Without a size Node 26 gives the first chunk alone.
  return (raw.read(raw.readableLength) as Buffer | null) ?? Buffer.alloc(0)
}

/** Takes the control fields out of a parsed body or query string. */
export function takeFormHeaders(value: unknown): FormHeaders {
  const controls: FormHeaders = {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return controls
  const fields = value as Record<string, unknown>
  for (const name of formHeaderNames) {
    if (name in fields) {
      controls[name] = fields[name]
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- one of three known names
      delete fields[name]
    }
  }
  return controls
}
