import type { FastifyReply, FastifyRequest } from 'fastify'
import { toMediaType } from '../../http/body/body-reader.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toAttachmentHeaders, toInactiveType } from '../../http/response/attachment.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { parseParts } from '../../httpbin/multipart.ts'
import { findField } from '../../inspector/exchange.ts'
import type { BinServices } from './capture.ts'
import type { OpenedRequest } from './of-bin.ts'

export function sendBody({ requests }: BinServices) {
  return async (request: FastifyRequest, reply: FastifyReply, { bin, captured }: OpenedRequest) => {
    const bytes = await requests.readBody(bin.id, captured)
    const type = findField(captured.requestFields, 'content-type')
    return sendAttachment(request, reply, { name: `${captured.id}.bin`, type, bytes })
  }
}

export function sendFile(services: BinServices) {
  return async (request: FastifyRequest, reply: FastifyReply, opened: OpenedRequest) => {
    const number = toPathParameter(request, 'k')
    const { files } = await readForm(services, opened)
    const file = files.find((_, index) => String(index + 1) === number)
    if (file === undefined) throw notFound(`The request has no file ${number}.`)
    return sendAttachment(request, reply, file)
  }
}

/** More fields, and more of a field, are in the body only. */
const shownFields = 200
const shownFieldBytes = 4096

/** The fields and the files of a multipart form. */
export async function readForm({ requests }: BinServices, { bin, captured }: OpenedRequest) {
  const contentType = findField(captured.requestFields, 'content-type') ?? ''
  const isMultipart = toMediaType(contentType) === 'multipart/form-data'
  const body = isMultipart ? await requests.readBody(bin.id, captured) : undefined
  const parts = (body && parseParts(body, contentType)) ?? []
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

type File = Awaited<ReturnType<typeof readForm>>['files'][number]

export function filesToJson(url: string, files: readonly File[]) {
  return files.map(({ bytes, ...file }, index) => ({
    ...file,
    size: bytes.length,
    url: `${url}/files/${String(index + 1)}`,
  }))
}

interface Attachment {
  name: string
  type: string | undefined
  bytes: Buffer
}

function sendAttachment(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, type, bytes }: Attachment,
) {
  reply.headers(toAttachmentHeaders(name))
  return sendBytes(request, reply, {
    type: toInactiveType(toMediaType(type) || 'application/octet-stream'),
    size: bytes.length,
    isInMemory: true,
    etag: `"${toPathParameter(request, 'n')}"`,
    open: (start, end) => bytes.subarray(start, end + 1),
  })
}
