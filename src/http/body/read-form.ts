import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { formFramingBytes } from '../../config/limits.ts'
import { parseMultipart, readPartText, type FormPart } from './multipart.ts'
import { parseParameters } from '../request/parameters.ts'
import { contentTooLarge } from '../errors/http-error.ts'

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
  const { maxBodyBytes, maxUploadBytes, maxParameters } = config
  const fields = new URLSearchParams()
  let remainingBytes = maxBodyBytes
  const limits = {
    parts: maxParameters + maxFiles,
    maxPartBytes: maxUploadBytes,
    maxBytes: formFramingBytes + maxBodyBytes + maxFiles * maxUploadBytes,
    times: config,
  }
  for await (const part of parseMultipart(request, limits)) {
    if (part.fileName !== undefined) await readFile(part)
    else if (fields.size === maxParameters) throw contentTooLarge('The form has too many fields.')
    else {
      const text = await readPartText(part, remainingBytes)
      fields.append(part.name, text)
      remainingBytes -= Buffer.byteLength(text)
    }
  }
  return parseParameters(fields.toString(), config)
}
