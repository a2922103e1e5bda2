import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { assertNoEncoding } from './body-reader.ts'
import { createByteCollector } from './byte-collector.ts'
import { watchBody, type BodyTimes } from './read-bytes.ts'
import { sendContinue } from '../request/continue.ts'
import { createDigestCheck } from './digest.ts'
import { decodeUtf8 } from '../request/query-string.ts'
import { badRequest, contentTooLarge, HttpError } from '../errors/http-error.ts'

/** One part of a `multipart/form-data` body (RFC 7578 §4). */
export interface Part {
  name: string
  /** Undefined for a field of text; empty where a form's file input was left so. */
  fileName: string | undefined
  /** The part's Content-Type. */
  type: string
  /** Has to be read to its end before the next part comes. */
  content: Readable
}

const maxNameBytes = 200

/** RFC 7578 §4.8 needs two short fields; the parser would cut longer ones off silently. */
const maxPartHeaderBytes = 8192

/** Lets the routes of this instance read multipart bodies. */
export async function registerMultipart(app: FastifyInstance): Promise<void> {
  await app.register(multipart)
}

interface MultipartLimits {
  parts: number
  maxPartBytes: number
  /** Of the body as a whole, with all that is between the parts. */
  maxBytes: number
  times: BodyTimes
}

/**
 * The parts in the order in which they came; none when the body is no multipart. Throws 400 for
 * what cannot be read and 413 over a limit; and 400 behind the last part when the whole is not what
 * its digest says, so nothing may be kept before the end.
 */
export async function* parseMultipart(
  request: FastifyRequest,
  { parts, maxPartBytes, maxBytes, times }: MultipartLimits,
): AsyncGenerator<Part> {
  if (!request.isMultipart()) return
  const { raw } = request
  assertNoEncoding(raw)
  const digests = createDigestCheck(raw.headers)
  limitContent(raw, maxBytes, maxPartBytes)
  limitPartHeaders(raw)
  sendContinue(raw)
  watchBody(raw, times, (late) => raw.emit('error', late))
  raw.on('data', digests.update)
  try {
    for await (const part of request.parts({
      limits: { parts, files: parts, fileSize: maxPartBytes },
      // Every part as a stream of bytes: the parser would decode and even interpret text.
      isPartAFile: () => true,
    })) {
      if (part.type === 'file') yield toPart(part, maxPartBytes)
    }
    // What follows the closing boundary belongs to the content too.
    await finished(raw.resume())
    digests.verify()
  } catch (error) {
    throw toMultipartError(error)
  } finally {
    // Of a part that nobody reads on, the parser would keep back the rest of the body.
    raw.unpipe()
  }
}

/** As the parser gives it: it promises a name, and has none where the part gives none. */
interface ParsedPart {
  fieldname: string | undefined
  filename: string | undefined
  mimetype: string
  file: Readable
}

/** Throws 413 for what says that it is too large, and ends the parsing of what turns out to be. */
function limitContent(raw: IncomingMessage, maxBytes: number, maxPartBytes: number): void {
  const tooLarge = contentTooLarge(
    `The form is over ${String(maxBytes)} bytes; a file in it may have ${String(maxPartBytes)}.`,
  )
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes) throw tooLarge
  let size = 0
  raw.on('data', (chunk: Buffer) => {
    size += chunk.length
    // The parser listens to this event and to no other way of being stopped.
    if (size > maxBytes && size - chunk.length <= maxBytes) raw.emit('error', tooLarge)
  })
}

/** Ends the parsing with 400 when the headers of a part are too long. */
function limitPartHeaders(raw: IncomingMessage): void {
  const [, quoted, plain] =
    /;[ \t]*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(raw.headers['content-type'] ?? '') ?? []
  const delimiter = `\r\n--${quoted ?? plain ?? ''}`
  // The first delimiter may be the first line.
  let rest = Buffer.from('\r\n')
  let isHeader = false
  const follow = (chunk: Buffer) => {
    let bytes = Buffer.concat([rest, chunk])
    for (;;) {
      const mark = isHeader ? '\r\n\r\n' : delimiter
      const end = bytes.indexOf(mark, 0, 'latin1')
      const isLast = isHeader && bytes.toString('latin1', 0, 2) === '--'
      const isLong = isHeader && (end === -1 ? bytes.length : end) > maxPartHeaderBytes
      if (isLast || isLong) raw.off('data', follow)
      if (isLong && !isLast) raw.emit('error', badRequest('The headers of a part are too long.'))
      if (isLast || isLong) return
      if (end === -1) break
      bytes = bytes.subarray(end + mark.length)
      isHeader = !isHeader
    }
    rest = isHeader ? bytes : bytes.subarray(-delimiter.length)
  }
  raw.on('data', follow)
}

function toPart({ fieldname: name, filename, mimetype, file }: ParsedPart, maxBytes: number): Part {
  if (name === undefined) throw badRequest('A part of the form has no name.')
  if (Buffer.byteLength(name) > maxNameBytes) throw badRequest('The name of a part is too long.')
  // At once, and not when the rest of the part has been read to no purpose.
  const tooLarge = contentTooLarge(`${name} is over ${String(maxBytes)} bytes.`)
  file.once('limit', () => file.destroy(tooLarge))
  return { name, fileName: filename, type: mimetype, content: file }
}

/** The text of a field; 413 over `maxBytes`, 400 when it is not UTF-8. */
export async function readText({ content }: Part, maxBytes: number): Promise<string> {
  const bytes = createByteCollector()
  let size = 0
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw contentTooLarge('The fields of the form are too large.')
      bytes.add(chunk)
    }
  } catch (error) {
    throw toMultipartError(error)
  }
  return decodeUtf8(bytes.toBuffer())
}

/** Reads a part to its end and lets it go. */
export async function discard({ content }: Part): Promise<void> {
  try {
    await finished(content.resume())
  } catch (error) {
    throw toMultipartError(error)
  }
}

/** The parser's own complaints: over a limit, or else not a multipart body at all. */
export function toMultipartError(error: unknown): unknown {
  if (error instanceof HttpError || !(error instanceof Error)) return error
  return 'statusCode' in error && error.statusCode === 413
    ? contentTooLarge(`The form is too large: ${error.message}.`)
    : badRequest(`The multipart body cannot be read: ${error.message}.`, error)
}
