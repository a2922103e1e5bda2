import type { FastifyReply, FastifyRequest } from 'fastify'
import { toMediaType } from '../../http/body/body-reader.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toAttachmentHeaders, toInactiveType } from '../../http/response/attachment.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { parseParts } from '../../httpbin/multipart.ts'
import { findField } from '../../inspector/exchange.ts'
import { openBin } from './access.ts'
import type { Bin } from './bin-store.ts'
import type { BinServices } from './capture.ts'
import { toFields, type CapturedRequest } from './captured-request.ts'

/** Throws 404. */
export async function findRequest({ requests }: BinServices, bin: string, id: string) {
  const captured = await requests.find(bin, id)
  if (captured) return captured
  throw notFound(`The bin has no request ${id}.`, [`/bins/${bin}`, 'Requests of the bin'])
}

/** Throws 401, 404 or 410. */
export async function openRequest(
  services: BinServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ bin: Bin; captured: CapturedRequest }> {
  const bin = await openBin(services.bins, request, reply)
  return { bin, captured: await findRequest(services, bin.id, toPathParameter(request, 'n')) }
}

export function sendBody(services: BinServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { bin, captured } = await openRequest(services, request, reply)
    const bytes = await services.requests.readBody(bin.id, captured)
    const type = findField(toFields(captured), 'content-type')
    return sendAttachment(request, reply, { name: `${captured.id}.bin`, type, bytes })
  }
}

export function sendFile(services: BinServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { bin, captured } = await openRequest(services, request, reply)
    const number = toPathParameter(request, 'k')
    const files = await readFiles(services, bin, captured)
    const file = files.find((_, index) => String(index + 1) === number)
    if (file === undefined) throw notFound(`The request has no file ${number}.`)
    return sendAttachment(request, reply, file)
  }
}

/** The files of a multipart form. */
export async function readFiles({ requests }: BinServices, { id }: Bin, captured: CapturedRequest) {
  const contentType = findField(toFields(captured), 'content-type') ?? ''
  if (toMediaType(contentType) !== 'multipart/form-data') return []
  const parts = parseParts(await requests.readBody(id, captured), contentType) ?? []
  return parts.flatMap(({ name: field, fileName, type, bytes }) =>
    fileName ? [{ field, name: fileName, type, bytes }] : [],
  )
}

export function filesToJson(
  bin: Bin,
  { id }: CapturedRequest,
  files: Awaited<ReturnType<typeof readFiles>>,
) {
  return files.map(({ bytes, ...file }, index) => ({
    ...file,
    size: bytes.length,
    url: `/bins/${bin.id}/requests/${id}/files/${String(index + 1)}`,
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
