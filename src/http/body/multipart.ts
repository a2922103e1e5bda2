import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { formatNumber } from '../../config/format-count.ts'
import type { Config } from '../../config/config.ts'
import { formFramingBytes, maxBoundaryLength, maxPartNameBytes } from '../../config/limits.ts'
import { assertCoding, assertUtf8, hasBody, multipartType, toMediaType } from './body-reader.ts'
import {
  createByteCollector,
  endedEarly,
  isAborted,
  isAnnouncedTooLarge,
  sendContinue,
  tooLarge,
  watchBody,
  type BodyTimes,
} from './read-bytes.ts'
import { decodeContent, findCodings, limitBytes, toMaxEncodedBytes } from './decode-content.ts'
import { createDigestCheck } from './digest.ts'
import { parsePartHead } from './part-head.ts'
import { readParts } from './read-parts.ts'
import { decodeUtf8, parseParameters } from '../request/parameters.ts'
import { badRequest, contentTooLarge } from '../errors/http-error.ts'

/** Read it to its end before the next. `fileName` is undefined for text, and empty for an empty input. */
export interface FormPart {
  name: string
  fileName: string | undefined
  type: string
  content: AsyncIterable<Buffer>
}

interface FileReader {
  maxFiles: number
  readFile: (part: FormPart) => Promise<void>
}

/** The text fields of a multipart form, which nest as those of a query string. Throws 400, 408 and 413. */
export async function readForm(
  request: FastifyRequest,
  config: Config,
  { maxFiles, readFile }: FileReader,
) {
  const fields = new URLSearchParams()
  let remainingBytes = config.maxBodyBytes
  for await (const part of parseForm(request, config, maxFiles)) {
    if (part.fileName !== undefined) await readFile(part)
    else if (fields.size === config.maxParameters)
      throw contentTooLarge(
        `The form has more than ${formatNumber(config.maxParameters)} fields (MAX_PARAMETERS).`,
      )
    else {
      const text = await readPartText(part, remainingBytes)
      if (text === undefined)
        throw contentTooLarge(
          `The fields of the form exceed ${formatNumber(config.maxBodyBytes)} bytes (MAX_BODY_BYTES).`,
        )
      fields.append(part.name, text)
      remainingBytes -= Buffer.byteLength(text)
    }
  }
  return parseParameters(fields.toString(), config)
}

/** Throws 400 for a wrong digest after the last part, so nothing may be stored before the end. */
async function* parseForm(request: FastifyRequest, config: Config, maxFiles: number) {
  const { raw, headers } = request
  if (!hasBody(raw) || toMediaType(headers['content-type']) !== multipartType) return
  assertCoding(raw)
  const boundary = parseBoundary(headers['content-type'])
  const codings = findCodings(raw)
  const { maxBodyBytes, maxParameters, maxUploadBytes } = config
  const maxBytes = formFramingBytes + maxBodyBytes + maxFiles * maxUploadBytes
  const digests = createDigestCheck(headers)
  if (raw.bodyBytes) digests.update(raw.bodyBytes)
  const encoded = openBody(raw, toMaxEncodedBytes(maxBytes, codings), config)
  raw.on('data', digests.update)
  try {
    const content = await decodeContent(encoded, codings, { maxBytes })
    let count = 0
    for await (const { head, content: bytes } of readParts(content, boundary)) {
      count += 1
      const maxParts = maxParameters + maxFiles
      if (count > maxParts)
        throw contentTooLarge(
          `The form has more than ${formatNumber(maxParts)} parts (MAX_PARAMETERS).`,
        )
      yield parseFormPart(head, bytes, maxUploadBytes)
    }
    if (isAborted(raw)) throw badRequest(endedEarly)
    digests.verify()
  } finally {
    encoded.destroy()
  }
}

function openBody(raw: IncomingMessage, maxBytes: number, times: BodyTimes): Readable {
  if (isAnnouncedTooLarge(raw, maxBytes)) throw tooLarge(maxBytes)
  if (raw.bodyBytes) return Readable.from([raw.bodyBytes])
  if (raw.destroyed) throw badRequest(endedEarly)
  // The reader of the stream throws its error.
  const body = limitBytes(maxBytes).on('error', () => undefined)
  // What is not read would block the connection.
  body.once('close', () => raw.unpipe(body).resume())
  sendContinue(raw)
  watchBody(raw, times, (late) => body.destroy(late))
  raw.once('error', (error) => body.destroy(badRequest(endedEarly, error)))
  return raw.pipe(body)
}

/** RFC 2046 §5.1.1. Strict, since the parser must not read another boundary. */
const boundaryFormat = String.raw`"([\w'()+,./:=? -]{0,${maxBoundaryLength - 1}}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,${maxBoundaryLength}})`
const otherParameter = String.raw`;[ \t]*(?!boundary=)[\w-]+=(?:"[^"\\]*"|[^\s;"\\]*)[ \t]*`
const boundaryType = new RegExp(
  String.raw`^multipart/form-data[ \t]*(?:${otherParameter})*;[ \t]*boundary=(?:${boundaryFormat})[ \t]*(?:;|$)`,
  'i',
)

function parseBoundary(contentType = ''): string {
  const [, quoted, boundary = quoted] = boundaryType.exec(contentType) ?? []
  const isOne = contentType.match(/boundary[ \t]*\*?=/gi)?.length === 1
  if (boundary !== undefined && isOne) return boundary
  throw badRequest(
    "Content-Type must have one boundary, of 1 to 70 of the characters A-Z a-z 0-9 '()+_,-./:=?",
  )
}

function parseFormPart(head: string, bytes: AsyncIterable<Buffer>, maxBytes: number): FormPart {
  const { name, fileName, contentType } = parsePartHead(head)
  if (Buffer.byteLength(name) > maxPartNameBytes)
    throw badRequest(`The name of a form part is longer than ${String(maxPartNameBytes)} bytes.`)
  if (fileName === undefined) assertUtf8(contentType)
  const [type = ''] = contentType.toLowerCase().split(/\s*;/, 1)
  return { name, fileName, type, content: limitPart(bytes, name, maxBytes) }
}

async function* limitPart(content: AsyncIterable<Buffer>, name: string, maxBytes: number) {
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > maxBytes)
      throw contentTooLarge(
        `${name} is larger than ${formatNumber(maxBytes)} bytes (MAX_UPLOAD_BYTES).`,
      )
    yield chunk
  }
}

async function readPartText({ content }: FormPart, maxBytes: number): Promise<string | undefined> {
  // A body in many small chunks would take more memory as chunks than as bytes.
  const bytes = createByteCollector(maxBytes)
  for await (const chunk of content) if (!bytes.add(chunk)) return undefined
  return decodeUtf8(bytes.toBuffer())
}
