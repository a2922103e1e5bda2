import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { maxParameters } from '../../http/query-string.ts'
import { badRequest, contentTooLarge, Refusal } from '../../http/refusal.ts'

const maxFiles = 10
const maxNameBytes = 200

/**
 * The text fields of a multipart body, several of one name as a list; empty for any other body.
 * Files are read to their end and let go. Throws 400 for what is no multipart, 413 over a limit.
 */
export async function parseTextFields(
  request: FastifyRequest,
  config: Config,
): Promise<Record<string, unknown>> {
  const { maxBodyBytes, maxUploadBytes } = config
  // Without the multipart reader nothing has decorated the request.
  if (!config.bodyReaders.includes('multipart') || !request.isMultipart()) return {}
  const fields = new Map<string, unknown[]>()
  let size = 0
  try {
    const limits = {
      fields: maxParameters,
      fieldNameSize: maxNameBytes,
      fieldSize: maxBodyBytes,
      files: maxFiles,
      fileSize: maxUploadBytes,
      parts: maxParameters + maxFiles,
    }
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') {
        part.file.resume()
        continue
      }
      size += Buffer.byteLength(String(part.value))
      if (size > maxBodyBytes || part.valueTruncated) {
        throw contentTooLarge(`The fields are over ${String(maxBodyBytes)} bytes.`)
      }
      if (part.fieldnameTruncated) throw badRequest('The name of a field is too long.')
      fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), part.value])
    }
  } catch (error) {
    throw toRefusal(error)
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

/** The parser's own complaints: over a limit, or else not a multipart body at all. */
function toRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error
  return 'statusCode' in error && error.statusCode === 413
    ? contentTooLarge(`The form is too large: ${error.message}.`)
    : badRequest(`The multipart body cannot be read: ${error.message}.`, error)
}
