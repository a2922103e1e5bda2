import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { isObject } from '../../config/is-object.ts'
import type { Config } from '../../config/config.ts'
import { decodeBytes, findCodings, toMaxEncodedBytes } from './decode-content.ts'
import { createDigestCheck } from './digest.ts'
import { parseJson } from './parse-json.ts'
import { afterParsing, readBytes } from './read-bytes.ts'
import { decodeUtf8, parseForm, takeFormHeaders, takePrevious } from '../request/parameters.ts'
import { findStream } from '../request/target.ts'
import { notImplemented, unsupportedMediaType } from '../errors/http-error.ts'

declare module 'node:http' {
  interface IncomingMessage {
    parsedBody?: RequestBody
  }
}

interface RequestBody {
  value?: unknown
  formHeaders?: ReturnType<typeof takeFormHeaders>
  previous?: ReturnType<typeof takePrevious>
  error?: Error
}

export type BodyReader = (raw: IncomingMessage, done: (body: RequestBody) => void) => void

export function createBodyReader(config: Config): BodyReader {
  return (raw, done) => {
    const parse = raw.parsedBody === undefined ? findParser(raw, config) : undefined
    const finish = (body: RequestBody) => {
      raw.parsedBody = body
      done(body)
    }
    if (parse === undefined) {
      finish(raw.parsedBody ?? {})
      return
    }
    afterParsing(() => {
      const body = read(raw, parse, config)
      if (body instanceof Promise) void body.then(finish)
      else finish(body)
    })
  }
}

function read(
  raw: IncomingMessage,
  parse: Parser,
  config: Config,
): RequestBody | Promise<RequestBody> {
  const { bodyIdleSeconds, requestSeconds } = config
  try {
    assertCoding(raw)
    assertUtf8(raw.headers['content-type'])
    const codings = findCodings(raw)
    const digests = createDigestCheck(raw.headers)
    const toBody = (bytes: Buffer): RequestBody => {
      const value = bytes.length === 0 ? undefined : parse(decodeUtf8(bytes))
      const formHeaders = takeFormHeaders(value, config)
      const previous = isForm(raw) && isObject(value) ? takePrevious(value) : {}
      return { value, formHeaders, previous }
    }
    const decode = (bytes: Buffer): RequestBody | Promise<RequestBody> => {
      // RFC 9530 §2 and §3: both digests are of the encoded bytes.
      digests.update(bytes)
      digests.verify()
      if (codings.length === 0) return toBody(bytes)
      return decodeBytes(bytes, codings, config.maxBodyBytes).then(toBody)
    }
    const maxBodyBytes = toMaxEncodedBytes(config.maxBodyBytes, codings)
    const bytes = readBytes(raw, { bodyIdleSeconds, requestSeconds, maxBodyBytes })
    const body = Buffer.isBuffer(bytes) ? decode(bytes) : bytes.then(decode)
    return body instanceof Promise ? body.catch(toFailed) : body
  } catch (error) {
    return toFailed(error)
  }
}

function toFailed(error: unknown): RequestBody {
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

export const mediaType = /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;|$)/
// RFC 9110 §8.3: an invalid Content-Type is treated as this type.
const unknownType = 'application/octet-stream'
const formType = 'application/x-www-form-urlencoded'
export const multipartType = 'multipart/form-data'

export function toMediaType(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  return mediaType.exec(contentType)?.[1]?.toLowerCase() ?? unknownType
}

/** Fastify would respond to an invalid type with an error of its own. */
export function replaceInvalidType({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  if (type !== undefined && !mediaType.test(type)) headers['content-type'] = unknownType
}

/** The original API: a body without a type is read as JSON. */
export function isJsonType(type: string): boolean {
  return type === '' || type === 'application/json' || /^(?!text\/).+\+json$/.test(type)
}

export const isFieldsType = (type: string): boolean => isJsonType(type) || type === formType

export function isForm({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return toMediaType(headers['content-type']) === formType
}

type Parser = (text: string) => unknown
type Reader = Config['bodyReaders'][number]

const parsers: Readonly<Record<Reader, ((text: string, config: Config) => unknown) | undefined>> = {
  json: parseJson,
  form: parseForm,
  text: String,
  multipart: undefined,
}

function toReader(type: string): Reader | undefined {
  if (isJsonType(type)) return 'json'
  if (type === formType) return 'form'
  if (type === multipartType) return 'multipart'
  return type.startsWith('text/') ? 'text' : undefined
}

function findReader({ headers }: IncomingMessage, config: Config): Reader | undefined {
  const reader = toReader(toMediaType(headers['content-type']))
  return reader && config.bodyReaders.includes(reader) ? reader : undefined
}

function findParser(raw: IncomingMessage, config: Config): Parser | undefined {
  const reader = hasBody(raw) ? findReader(raw, config) : undefined
  const parse = reader && parsers[reader]
  return parse && ((text) => parse(text, config))
}

/** Names the media type of a body that the route does not read: the handler sees none. */
export function reportIgnoredBody(
  { raw, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  config: Config,
) {
  const { bodyTypes } = routeOptions.config
  if (bodyTypes === undefined || !hasBody(raw)) return
  const reader = findReader(raw, config)
  if (reader && bodyTypes.some((type) => toReader(type) === reader)) return
  // A reader has found that the body is empty.
  if (reader && parsers[reader] && raw.parsedBody && raw.parsedBody.value === undefined) return
  reply.header(
    'vitrine-ignored-body',
    toMediaType(raw.headers['content-type']) || 'application/json',
  )
}

/** RFC 9112 §6.1: 501 for a transfer coding other than chunked. */
export function assertCoding({ headers }: IncomingMessage): void {
  const { 'transfer-encoding': coding = 'chunked' } = headers
  if (coding.toLowerCase() === 'chunked') return
  throw notImplemented(`The transfer coding ${coding} is not implemented.`)
}

export function assertUtf8(contentType = ''): void {
  const [, charset = ''] = /;[ \t]*charset[ \t]*=[ \t]*["']?([^"';]*)/i.exec(contentType) ?? []
  // An empty value names no charset.
  if (/^(utf-?8|us-ascii|)$/i.test(charset.trim())) return
  throw unsupportedMediaType(`The charset must be UTF-8, not ${charset}.`)
}
