import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { assertNoEncoding } from './body-reader.ts'
import { createByteCollector, sendContinue, watchBody, type BodyTimes } from './read-bytes.ts'
import { createDigestCheck } from './digest.ts'
import { decodeUtf8 } from '../request/parameters.ts'
import { badRequest, contentTooLarge, HttpError } from '../errors/http-error.ts'

/** Read it to its end before the next. `fileName` is undefined for text, and empty for an empty input. */
export type FormPart = ReturnType<typeof toFormPart>

interface MultipartLimits {
  parts: number
  maxPartBytes: number
  maxBytes: number
  times: BodyTimes
}

/** Throws 400 for a wrong digest after the last part, so nothing may be stored before the end. */
export async function* parseMultipart(request: FastifyRequest, limits: MultipartLimits) {
  if (!request.isMultipart()) return
  const { raw } = request
  const { parts, maxPartBytes } = limits
  assertNoEncoding(raw)
  const digests = createDigestCheck(raw.headers)
  limitContent(raw, limits)
  limitPartHeaders(raw)
  sendContinue(raw)
  watchBody(raw, limits.times, (late) => raw.emit('error', late))
  raw.on('data', digests.update)
  try {
    const fileLimits = { parts, files: parts, fileSize: maxPartBytes }
    for await (const part of request.parts({ limits: fileLimits, isPartAFile: () => true })) {
      if (part.type === 'file') yield toFormPart(part, maxPartBytes)
    }
    // The epilogue belongs to the digested body.
    await finished(raw.resume())
    digests.verify()
  } catch (error) {
    throw toMultipartError(error)
  } finally {
    // An unread part, or a pipe that was removed, would block the rest of the body.
    raw.unpipe().resume()
  }
}

function limitContent(raw: IncomingMessage, { maxBytes, maxPartBytes }: MultipartLimits): void {
  const whole = maxBytes.toLocaleString('en')
  const part = maxPartBytes.toLocaleString('en')
  const detail = `The form is larger than ${whole} bytes. A file can have at most ${part} bytes.`
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes) throw contentTooLarge(detail)
  let size = 0
  const count = (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBytes) return
    raw.off('data', count)
    // The parser stops at this event only.
    raw.emit('error', contentTooLarge(detail))
  }
  raw.on('data', count)
}

/** RFC 2046 §5.1.1. Strict, since the parser must not read another boundary. */
const boundaryFormat = String.raw`"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,70})`
const otherParameter = String.raw`;[ \t]*(?!boundary=)[\w-]+=(?:"[^"\\]*"|[^\s;"\\]*)[ \t]*`
const multipartType = new RegExp(
  String.raw`^multipart/form-data[ \t]*(?:${otherParameter})*;[ \t]*boundary=(?:${boundaryFormat})[ \t]*(?:;|$)`,
  'i',
)

function parseBoundary(contentType = ''): string {
  const [, quoted, boundary = quoted] = multipartType.exec(contentType) ?? []
  const isOne = contentType.match(/boundary[ \t]*\*?=/gi)?.length === 1
  if (boundary !== undefined && isOne) return boundary
  throw badRequest("Content-Type must have one boundary of 1 to 70 of A-Z a-z 0-9 '()+_,-./:=?")
}

const maxPartHeaderBytes = 8192

/** The parser would silently truncate longer headers. */
function limitPartHeaders(raw: IncomingMessage): void {
  const delimiter = `\r\n--${parseBoundary(raw.headers['content-type'])}`
  let rest: Buffer = Buffer.from('\r\n')
  let isHeader = false
  const follow = (chunk: Buffer) => {
    // Most chunks are content, and to copy each of them fills the heap.
    const seam = Buffer.concat([rest, chunk.subarray(0, delimiter.length)])
    const isContent =
      !isHeader && ![seam, chunk].some((part) => part.includes(delimiter, 0, 'latin1'))
    if (isContent && chunk.length >= delimiter.length) {
      // A copy: the store may free the chunk.
      rest = Buffer.from(chunk.subarray(-delimiter.length))
      return
    }
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const separator = isHeader ? '\r\n\r\n' : delimiter
      const end = rest.indexOf(separator, 0, 'latin1')
      const isLast = isHeader && rest.toString('latin1', 0, 2) === '--'
      const isLong = isHeader && (end === -1 ? rest.length : end) > maxPartHeaderBytes
      if (isLast || isLong) raw.off('data', follow)
      if (isLong && !isLast)
        raw.emit('error', badRequest('The headers of a form part are too long.'))
      if (isLast || isLong || end === -1) break
      rest = rest.subarray(end + separator.length)
      isHeader = !isHeader
    }
    if (!isHeader) rest = rest.subarray(-delimiter.length)
  }
  raw.on('data', follow)
}

/** The parser's types promise names that may be absent. */
type ParsedPart = Pick<MultipartFile, 'file' | 'mimetype'> &
  Partial<Pick<MultipartFile, 'fieldname' | 'filename'>>

function toFormPart({ fieldname: name, filename, mimetype, file }: ParsedPart, maxBytes: number) {
  if (name === undefined) throw badRequest('A form part has no name.')
  if (Buffer.byteLength(name) > 200) throw badRequest('The name of a form part is too long.')
  const detail = `${name} is larger than ${maxBytes.toLocaleString('en')} bytes.`
  file.once('limit', () => file.destroy(contentTooLarge(detail)))
  const content = Readable.from(withOwnErrors(file), { objectMode: false })
  return { name, fileName: filename, type: mimetype, content }
}

async function* withOwnErrors(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* file
  } catch (error) {
    throw toMultipartError(error)
  }
}

export async function readPartText({ content }: FormPart, maxBytes: number): Promise<string> {
  const bytes = createByteCollector(maxBytes)
  const chunks: AsyncIterable<Buffer> = content
  for await (const chunk of chunks) {
    if (!bytes.add(chunk)) throw contentTooLarge('The fields of the form are too large.')
  }
  return decodeUtf8(bytes.toBuffer())
}

export async function discardPart({ content }: FormPart): Promise<void> {
  await finished(content.resume())
}

function toMultipartError(error: unknown): unknown {
  if (error instanceof HttpError || !(error instanceof Error)) return error
  return 'statusCode' in error && error.statusCode === 413
    ? contentTooLarge(`The form is too large: ${error.message}.`)
    : badRequest(`The multipart body is malformed: ${error.message}.`, error)
}
