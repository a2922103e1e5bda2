import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { multipartType, toMediaType } from '../../http/body/body-reader.ts'
import { decodeBytes, findCodings } from '../../http/body/decode-content.ts'
import { HttpError } from '../../http/errors/http-error.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toAttachmentHeaders, toInactiveType } from '../../http/response/attachment.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { parseParts } from '../../http/body/parse-parts.ts'
import { findField } from '../../exchanges/exchange.ts'
import { toCodings } from '../../exchanges/to-body.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { RequestStore } from './request-store.ts'

/** More fields, and more of a field, are in the body only. */
const shownFields = 200
const shownFieldBytes = 4096

interface FormServices {
  requests: RequestStore
  config: Config
}

export async function readCapturedForm(services: FormServices, captured: CapturedRequest) {
  const parts = await findParts(services, captured)
  return {
    fields: parts
      .filter(({ fileName }) => fileName === undefined)
      .slice(0, shownFields)
      .map(({ name, bytes }) => [name, bytes.toString('utf8', 0, shownFieldBytes)] as const),
    files: parts.flatMap(({ name: field, fileName, type, bytes }) =>
      fileName ? [{ field, name: fileName, type, bytes }] : [],
    ),
  }
}

/** Returns no part of a malformed form, of one with too many parts, or of one that cannot be decoded. */
async function findParts({ requests, config }: FormServices, captured: CapturedRequest) {
  const fields = captured.requestFields
  const contentType = findField(fields, 'content-type') ?? ''
  if (toMediaType(contentType) !== multipartType) return []
  const sent = await requests.readBody(captured)
  try {
    const codings = findCodings({ headers: { 'content-encoding': toCodings(fields) } })
    const body = await decodeBytes(sent, codings, config.binMaxBodyBytes)
    return parseParts(body, contentType) ?? []
  } catch (error) {
    if (error instanceof HttpError) return []
    throw error
  }
}

type Form = Awaited<ReturnType<typeof readCapturedForm>>

export function filesToJson(url: string, files: Form['files']) {
  return files.map(({ bytes, ...file }, index) => ({
    ...file,
    size: bytes.length,
    url: `${url}/files/${String(index + 1)}`,
  }))
}

export function sendAttachment(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, type, bytes }: Omit<Form['files'][number], 'field'>,
) {
  const policy = { 'cross-origin-resource-policy': 'same-origin' }
  reply.headers({ ...toAttachmentHeaders(name), ...policy })
  return sendBytes(request, reply, {
    type: toInactiveType(toMediaType(type) || 'application/octet-stream'),
    size: bytes.length,
    isInMemory: true,
    etag: `"${toPathParameter(request, 'n')}"`,
    open: (start, end) => bytes.subarray(start, end + 1),
  })
}
