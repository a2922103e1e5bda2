import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { createDigestCheck } from './digest.ts'
import { parseJson } from './parse-json.ts'
import { afterParsing, readBytes } from './read-bytes.ts'
import {
  decodeUtf8,
  isObject,
  parseForm,
  takeFormHeaders,
  takePrevious,
} from '../request/parameters.ts'
import { findStream } from '../request/target.ts'
import { notImplemented, unsupportedMediaType } from '../errors/http-error.ts'

declare module 'node:http' {
  interface IncomingMessage {
    parsedBody?: Body
  }
}

interface Body {
  value?: unknown
  formHeaders?: ReturnType<typeof takeFormHeaders>
  /** Of an edit form: what its fields had before. */
  previous?: ReturnType<typeof takePrevious>
  error?: Error
}

export type BodyReader = (raw: IncomingMessage, done: (body: Body) => void) => void

export function createBodyReader(config: Config): BodyReader {
  function read(raw: IncomingMessage, parse: Parser): Body | Promise<Body> {
    try {
      assertNoEncoding(raw)
      assertUtf8(raw)
      const digests = createDigestCheck(raw.headers)
      const toBody = (bytes: Buffer): Body => {
        digests.update(bytes)
        digests.verify()
        const value = bytes.length === 0 ? undefined : parse(decodeUtf8(bytes))
        const formHeaders = takeFormHeaders(value, config)
        const previous = isForm(raw) && isObject(value) ? takePrevious(value) : {}
        return { value, formHeaders, previous }
      }
      const bytes = readBytes(raw, config)
      return Buffer.isBuffer(bytes) ? toBody(bytes) : bytes.then(toBody).catch(toFailed)
    } catch (error) {
      return toFailed(error)
    }
  }

  return (raw, done) => {
    const parse = raw.parsedBody === undefined ? findParser(raw, config) : undefined
    const finish = (body: Body) => {
      raw.parsedBody = body
      done(body)
    }
    if (parse === undefined) {
      finish(raw.parsedBody ?? {})
      return
    }
    afterParsing(() => {
      const body = read(raw, parse)
      if (body instanceof Promise) void body.then(finish)
      else finish(body)
    })
  }
}

function toFailed(error: unknown): Body {
  return { error: error instanceof Error ? error : new Error(String(error)) }
}

/** RFC 9112 §6: a length or a transfer coding announces a body. */
export function hasBody(raw: IncomingMessage): boolean {
  // HTTP/2 needs neither (RFC 9113 §8.1).
  const stream = findStream(raw)
  if (stream) return !stream.endAfterHeaders
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = raw.headers
  return coding !== undefined || length !== '0'
}

const mediaType = /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;|$)/
// RFC 9110 §8.3: an invalid Content-Type is treated as this type.
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

/** The original API: a body without a type is read as JSON. */
function isJsonType(type: string): boolean {
  return type === '' || type === 'application/json' || /^(?!text\/).+\+json$/.test(type)
}

export function isFieldsType(type: string): boolean {
  return isJsonType(type) || type === formType
}

export function isForm({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return toMediaType(headers['content-type']) === formType
}

type Parser = (text: string) => unknown

function findParser(raw: IncomingMessage, config: Config): Parser | undefined {
  if (!hasBody(raw)) return undefined
  const type = toMediaType(raw.headers['content-type'])
  const reads = (reader: Config['bodyReaders'][number]) => config.bodyReaders.includes(reader)
  if (isJsonType(type)) return reads('json') ? (text) => parseJson(text, config) : undefined
  if (type === formType) return reads('form') ? (text) => parseForm(text, config) : undefined
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
