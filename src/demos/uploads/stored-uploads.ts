import { notFound } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { pathParameter } from '../../http/openapi/content.ts'
import { toFileOperation } from '../../http/openapi/files.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toAttachmentHeaders, toInactiveType } from '../../http/response/attachment.ts'
import { toJsonArray, sendChunks } from '../../http/response/send.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { hasRequired, type Document, type Pages } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import { exampleUpload, listOperation } from './documentation.ts'
import { toStoredUpload, uploadSchema, type Upload, type UploadServices } from './save-upload.ts'
import { renderUploads } from './views.ts'

const offers = ['text/html', 'application/json', 'text/plain'] as const

const file = import.meta.filename

export function getUploads(services: UploadServices): Route {
  return {
    ...{ file, method: 'GET', url: '/uploads' },
    ...listOperation,
    handler: (request, reply) => {
      const type = chooseType(request, reply, offers)
      // The upload form is a static page: its script reads the limit here.
      reply.header('upload-limit', `max-size=${String(services.config.maxUploadBytes)}`)
      const pages = toUploads(services.uploads.pages())
      const chunks = {
        'text/html': () => renderUploads(reply, pages, services),
        'application/json': () => toJsonArray(pages, (upload) => upload),
        'text/plain': () => uploadsToLines(pages),
      }
      return sendChunks(reply, type, chunks[type]())
    },
  }
}

export function getUpload({ uploads, files }: UploadServices): Route {
  const summary = 'Download a file, as an attachment'
  const id = pathParameter('id', 'The id of the upload.', exampleUpload._id)
  return {
    ...{ file, method: 'GET', url: '/uploads/:id' },
    ...toFileOperation(summary, '*/*', [id]),
    errors: [404, 412, 416],
    store: 'reads',
    handler: async (request, reply) => {
      const id = toPathParameter(request, 'id')
      const record = await uploads.find(id)
      if (record === undefined)
        throw notFound(`There is no upload with the id ${id}.`, ['/uploads', 'All uploads'])
      const { document, createdAt } = record
      if (!isUpload(document)) throw new StoreFailure('unavailable', `${id} has a damaged record`)
      const { name, type, size, sha256 } = document
      reply.headers({ ...toAttachmentHeaders(name), 'cache-control': 'private, no-cache' })
      const validators = { etag: `"${sha256}"`, lastModified: new Date(createdAt) }
      const open = async (start: number, end: number) => {
        const content = await files.read(id, start, end)
        if (content === undefined) throw new Error(`the file of upload ${id} is missing`)
        return content
      }
      const bytes = { type: toInactiveType(type), size, sha256, ...validators, open }
      return sendBytes(request, reply, bytes)
    },
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
