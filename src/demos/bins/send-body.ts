import type { FastifyReply, FastifyRequest } from 'fastify'
import { toMediaType } from '../../http/body/body-reader.ts'
import { HttpError } from '../../http/errors/http-error.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toAttachmentHeaders, toInactiveType } from '../../http/response/attachment.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { parseParts } from '../../httpbin/multipart.ts'
import { findField } from '../../inspector/exchange.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { RequestStore } from './request-store.ts'

/** More fields, and more of a field, are in the body only. */
const shownFields = 200
const shownFieldBytes = 4096

/** The fields and the files of a multipart form. */
export async function readForm({ readBody }: RequestStore, captured: CapturedRequest) {
  const contentType = findField(captured.requestFields, 'content-type') ?? ''
  const isMultipart = toMediaType(contentType) === 'multipart/form-data'
  const parts = isMultipart ? findParts(await readBody(captured), contentType) : []
  return {
    fields: (parts ?? [])
      .filter(({ fileName }) => fileName === undefined)
      .slice(0, shownFields)
      .map(({ name, bytes }) => [name, bytes.toString('utf8', 0, shownFieldBytes)] as const),
    files: (parts ?? []).flatMap(({ name: field, fileName, type, bytes }) =>
      fileName ? [{ field, name: fileName, type, bytes }] : [],
    ),
  }
}

/** Undefined for a malformed form, and for one with too many parts. */
function findParts(body: Buffer, contentType: string) {
  try {
    return parseParts(body, contentType)
  } catch (error) {
    if (error instanceof HttpError) return undefined
    throw error
  }
}

type Form = Awaited<ReturnType<typeof readForm>>

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
