import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { decodeUtf8 } from './query-string.ts'
import { badRequest, contentTooLarge, Refusal } from './refusal.ts'

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

/** Lets the routes of this instance read multipart bodies. */
export async function registerMultipart(app: FastifyInstance): Promise<void> {
  await app.register(multipart)
}

/**
 * The parts in the order in which they came; none when the body is no multipart. Throws 400 for
 * what cannot be read and 413 over a limit.
 */
export async function* parseMultipart(
  request: FastifyRequest,
  limits: { parts: number; maxPartBytes: number },
): AsyncGenerator<Part> {
  if (!request.isMultipart()) return
  const { parts, maxPartBytes } = limits
  try {
    for await (const part of request.parts({
      limits: { parts, files: parts, fileSize: maxPartBytes },
      // Every part as a stream of bytes: the parser would decode and even interpret text.
      isPartAFile: () => true,
    })) {
      if (part.type === 'file') yield toPart(part)
    }
  } catch (error) {
    throw toMultipartRefusal(error)
  }
}

/** As the parser gives it: it promises a name, and has none where the part gives none. */
interface ParsedPart {
  fieldname: string | undefined
  filename: string | undefined
  mimetype: string
  file: Readable
}

function toPart({ fieldname: name, filename, mimetype, file }: ParsedPart): Part {
  if (name === undefined) throw badRequest('A part of the form has no name.')
  if (Buffer.byteLength(name) > maxNameBytes) throw badRequest('The name of a part is too long.')
  return { name, fileName: filename, type: mimetype, content: file }
}

/** The text of a field; 413 over `maxBytes`, 400 when it is not UTF-8. */
export async function readText({ content }: Part, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw contentTooLarge('The fields of the form are too large.')
      chunks.push(chunk)
    }
  } catch (error) {
    throw toMultipartRefusal(error)
  }
  return decodeUtf8(Buffer.concat(chunks))
}

/** The parser's own complaints: over a limit, or else not a multipart body at all. */
export function toMultipartRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error
  return 'statusCode' in error && error.statusCode === 413
    ? contentTooLarge(`The form is too large: ${error.message}.`)
    : badRequest(`The multipart body cannot be read: ${error.message}.`, error)
}
