import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toAttachmentHeaders, toInactiveType } from '../../http/response/attachment.ts'
import { toJsonArray, sendChunks } from '../../http/response/send.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { hasRequired, type Document, type Pages } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import { toStoredUpload, uploadSchema } from './save-upload.ts'
import type { Upload, UploadServices } from './save-upload.ts'
import { renderUploads } from './views.ts'

const offers = ['text/html', 'application/json', 'text/plain'] as const

export function sendUploadList(services: UploadServices) {
  const { uploads, config } = services
  return (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, offers)
    const { maxUploadBytes } = config
    // The upload form is a static page: its script reads the limit here.
    reply.header('upload-limit', `max-size=${String(maxUploadBytes)}`)
    const pages = toUploads(uploads.pages())
    if (type === 'text/plain') return sendChunks(reply, type, uploadsToLines(pages))
    if (type === 'text/html') return sendChunks(reply, type, renderUploads(reply, pages, services))
    const json = toJsonArray(pages, (upload) => upload)
    return sendChunks(reply, type, json)
  }
}

export function sendUpload({ uploads, files }: UploadServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const id = toPathParameter(request, 'id')
    const record = await uploads.find(id)
    if (record === undefined)
      throw notFound(`There is no upload with the id ${id}.`, ['/uploads', 'All uploads'])
    const { document, createdAt } = record
    if (!isUpload(document)) throw new StoreFailure('unavailable', `${id} has a damaged record`)
    const { name, type, size, sha256 } = document
    reply.headers({ ...toAttachmentHeaders(name), 'cache-control': 'private, no-cache' })
    return sendBytes(request, reply, {
      type: toInactiveType(type),
      size,
      sha256,
      etag: `"${sha256}"`,
      lastModified: new Date(createdAt),
      open: async (start, end) => {
        const content = await files.read(id, start, end)
        if (content === undefined) throw new Error(`the file of upload ${id} is missing`)
        return content
      },
    })
  }
}

function isUpload(document: Document): document is Document & Upload {
  return hasRequired(document, uploadSchema) && document.size >= 0
}

async function* toUploads(pages: Pages) {
  for await (const page of pages) {
    yield page.flatMap((record) =>
      isUpload(record.document) ? [toStoredUpload(record, record.document)] : [],
    )
  }
}

async function* uploadsToLines(pages: ReturnType<typeof toUploads>) {
  for await (const page of pages) {
    yield page.map(({ _id, size, name }) => `${_id} ${String(size)} ${name}\n`).join('')
  }
}
