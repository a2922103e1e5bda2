import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { discard, parseMultipart, readText } from '../../http/body/multipart.ts'
import { contentTooLarge } from '../../http/errors/http-error.ts'

const maxFiles = 10

/**
 * The text fields of a multipart body, several of one name as a list; files are read to their end
 * and let go. Throws 400 for what is no multipart, 413 over a limit.
 */
export async function parseTextFields(
  request: FastifyRequest,
  config: Config,
): Promise<Record<string, unknown>> {
  const { maxBodyBytes, maxUploadBytes, maxParameters } = config
  const fields = new Map<string, string[]>()
  let remainingBytes = maxBodyBytes
  let fieldCount = 0
  const limits = {
    parts: maxParameters + maxFiles,
    maxPartBytes: maxUploadBytes,
    maxBytes: maxBodyBytes + maxFiles * maxUploadBytes,
    times: config,
  }
  for await (const part of parseMultipart(request, limits)) {
    if (part.fileName !== undefined) {
      await discard(part)
      continue
    }
    fieldCount += 1
    if (fieldCount > maxParameters) throw contentTooLarge('The form has too many fields.')
    const text = await readText(part, remainingBytes)
    remainingBytes -= Buffer.byteLength(text)
    fields.set(part.name, [...(fields.get(part.name) ?? []), text])
  }
  return Object.fromEntries(
    [...fields].map(([name, texts]) => [name, texts.length === 1 ? texts[0] : texts]),
  )
}
