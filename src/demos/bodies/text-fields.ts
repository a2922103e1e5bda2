import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { discardPart, parseMultipart, readPartText } from '../../http/body/multipart.ts'
import { contentTooLarge } from '../../http/errors/http-error.ts'

const maxFiles = 10

/** Several fields of one name are a list. Throws 400 and 413. */
export async function parseTextFields(request: FastifyRequest, config: Config) {
  const { maxBodyBytes, maxUploadBytes, maxParameters } = config
  const fields = new Map<string, string | string[]>()
  let [remainingBytes, remainingFields] = [maxBodyBytes, maxParameters]
  const limits = {
    parts: maxParameters + maxFiles,
    maxPartBytes: maxUploadBytes,
    maxBytes: maxBodyBytes + maxFiles * maxUploadBytes,
    times: config,
  }
  for await (const part of parseMultipart(request, limits)) {
    if (part.fileName !== undefined) await discardPart(part)
    else if (remainingFields === 0) throw contentTooLarge('The form has too many fields.')
    else {
      const text = await readPartText(part, remainingBytes)
      const known = fields.get(part.name)
      fields.set(part.name, known === undefined ? text : [known, text].flat())
      remainingFields -= 1
      remainingBytes -= Buffer.byteLength(text)
    }
  }
  return Object.fromEntries(fields)
}
