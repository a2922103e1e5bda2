import type { IncomingMessage } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import type { Config } from '../../config/config.ts'
import { createDigestCheck } from './digest.ts'
import { parseJson } from './parse-json.ts'
import { readBytes } from './read-bytes.ts'
import {
  decodeUtf8,
  parseParameters,
  takeFormHeaders,
  type FormHeaders,
} from '../request/query-string.ts'
import { notImplemented, unsupportedMediaType } from '../errors/http-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    readsBodyItself?: boolean
  }
}

export interface Body {
  value: unknown
  formHeaders: FormHeaders
}

export type BodyReader = (raw: IncomingMessage) => Promise<Body>

const absent = Promise.resolve<Body>({ value: undefined, formHeaders: {} })

export function createBodyReader(config: Config): BodyReader {
  const bodies = new WeakMap<IncomingMessage, Promise<Body>>()

  async function read(raw: IncomingMessage, parse: (text: string) => unknown): Promise<Body> {
    assertNoEncoding(raw)
    assertUtf8(raw)
    const digests = createDigestCheck(raw.headers)
    const bytes = await readBytes(raw, config)
    digests.update(bytes)
    digests.verify()
    const value = bytes.length === 0 ? undefined : parse(decodeUtf8(bytes))
    return { value, formHeaders: config.methodOverride ? takeFormHeaders(value) : {} }
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

/** RFC 9112 §6: a length or a transfer coding announces a body. */
export function hasBody(raw: IncomingMessage): boolean {
  // HTTP/2 needs neither (RFC 9113 §8.1).
  const request: object = raw
  if (request instanceof Http2ServerRequest) return !request.stream.endAfterHeaders
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = raw.headers
  return coding !== undefined || length !== '0'
}

const mediaType = /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;|$)/
// RFC 9110 §8.3: what an invalid Content-Type stands for.
const unknownType = 'application/octet-stream'
const formType = 'application/x-www-form-urlencoded'

export function toMediaType(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  return mediaType.exec(contentType)?.[1]?.toLowerCase() ?? unknownType
}

/** For an invalid type Fastify would respond with an error of its own. */
export function replaceInvalidType({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  if (type !== undefined && !mediaType.test(type)) headers['content-type'] = unknownType
}

/** Seed, general convention 3: by default the body is read as JSON. */
function isJsonType(type: string): boolean {
  return type === '' || type === 'application/json' || /^(?!text\/).+\+json$/.test(type)
}

export function isFieldsType(type: string): boolean {
  return isJsonType(type) || type === formType
}

export function isForm({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return toMediaType(headers['content-type']) === formType
}

function findParser(type: string, config: Config): ((text: string) => unknown) | undefined {
  const reads = (reader: Config['bodyReaders'][number]) => config.bodyReaders.includes(reader)
  if (isJsonType(type)) return reads('json') ? (text) => parseJson(text, config) : undefined
  if (type === formType) return reads('form') ? (text) => parseParameters(text, config) : undefined
  return type.startsWith('text/') && reads('text') ? String : undefined
}

/** Throws 415 for a content coding, 501 for a transfer coding other than chunked (RFC 9112 §6.1). */
export function assertNoEncoding({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': coding } = headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw notImplemented(`The transfer coding ${coding} is not implemented.`)
  }
  if (encoding.toLowerCase() === 'identity') return
  const accepted = { 'accept-encoding': 'identity' }
  throw unsupportedMediaType('Send the body without Content-Encoding.', accepted)
}

function assertUtf8({ headers }: IncomingMessage): void {
  const [, charset = 'utf-8'] =
    /;[ \t]*charset="?([^";]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (/^(utf-?8|us-ascii)$/i.test(charset.trim())) return
  throw unsupportedMediaType(`The charset must be UTF-8, not ${charset}.`)
}
