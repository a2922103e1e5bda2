import type { FastifyRequest } from 'fastify'
import { isForm } from '../../http/body/body-reader.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { pathParameter } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import { toFileOperation } from '../../http/openapi/files.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toAttachmentHeaders, toInactiveType } from '../../http/response/attachment.ts'
import { mayWrite, preconditionFailed } from '../../http/response/preconditions.ts'
import { toJsonArray, sendChunks } from '../../http/response/send.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { setFlash, takeFlash } from '../../site/flash.ts'
import { removeWithFile } from '../../stores/orphaned-files.ts'
import { hasTypes } from '../../stores/records/records.ts'
import type { Collection, Document, RecordPages } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import { exampleUpload, listOperation } from './documentation.ts'
import { toStoredUpload, uploadSchema } from './save-upload.ts'
import type { StoredUpload, Upload, UploadServices } from './save-upload.ts'
import { renderUploads } from './views.ts'

const offers = ['text/html', 'application/json', 'text/plain'] as const

export const uploadsName = 'uploads'

const file = import.meta.filename

export const getUploads = (services: UploadServices): Route => ({
  file,
  method: 'GET',
  url: '/uploads',
  ...listOperation,
  handler: (request, reply) => {
    const type = chooseType(request, reply, offers)
    // The upload form is a static page: its script reads the limit here.
    reply.header('upload-limit', `max-size=${String(services.config.maxUploadBytes)}`)
    const flash = type === 'text/html' ? takeFlash(request, reply) : undefined
    const pages = toUploads(services.uploads.pages())
    const chunks = {
      'text/html': () => renderUploads(reply, pages, { ...services, flash }),
      'application/json': () => toJsonArray(pages, (upload) => upload),
      'text/plain': () => uploadsToLines(pages),
    }
    return sendChunks(reply, type, chunks[type]())
  },
})

const idParameter = pathParameter('id', 'The id of the upload.', exampleUpload._id)

/**
 * Scripts of any origin can read uploads, and so can its pages show them as images. Those of a sandbox that a cookie
 * names are shown by the pages of the service only: another site does not know the sandbox.
 */
const toSharedHeaders = ({ raw }: FastifyRequest) => ({
  'cache-control': 'private, no-cache',
  'cross-origin-resource-policy': raw.sandbox?.isOfCookie ? 'same-origin' : 'cross-origin',
})

export function getUpload({ uploads, files }: UploadServices): Route {
  const summary = 'Download a file, as an attachment'
  return {
    file,
    method: 'GET',
    url: '/uploads/:id',
    ...toFileOperation(summary, '*/*', [idParameter]),
    errors: [404, 412, 416],
    store: 'reads',
    handler: async (request, reply) => {
      const id = toPathParameter(request, 'id')
      const { name, type, size, sha256, createdAt } = await findUpload(uploads, id)
      reply.headers({ ...toAttachmentHeaders(name), ...toSharedHeaders(request) })
      const validators = { etag: `"${sha256}"`, lastModified: new Date(createdAt) }
      const open = async (start: number, end: number) => {
        const content = await files.read(id, start, end)
        if (content !== undefined) return content
        // It may have been deleted at the same time.
        await findUpload(uploads, id)
        throw new Error(`the file of upload ${id} is missing`)
      }
      const bytes = { type: toInactiveType(type), size, sha256, ...validators, open }
      return sendBytes(request, reply, bytes)
    },
  }
}

export const deleteUpload = ({ uploads, files, records, findSpace }: UploadServices): Route => ({
  file,
  method: 'DELETE',
  url: '/uploads/:id',
  summary: 'Delete an upload',
  parameters: [idParameter],
  responses: {
    204: { description: 'The file is deleted.' },
    303: { description: 'A form gets the list.', headers: responseHeaders('Location') },
  },
  errors: [404, 412],
  store: 'writes',
  handler: async (request, reply) => {
    const id = toPathParameter(request, 'id')
    const { sha256, size, createdAt } = await findUpload(uploads, id)
    const state = { etags: [`"${sha256}"`], lastModified: new Date(createdAt) }
    if (!mayWrite(request.raw, state)) throw preconditionFailed(request.headers, `"${sha256}"`)
    if (!(await removeWithFile({ files, records }, uploadsName, id))) throw noUpload(id)
    findSpace()?.free(id, size)
    setFlash(request, reply, 'deleted')
    return isForm(request) ? reply.redirect('/uploads', 303) : reply.code(204).send()
  },
})

const noUpload = (id: string) =>
  notFound(`There is no upload with the id ${id}.`, ['/uploads', 'All uploads'])

async function findUpload(uploads: Collection, id: string): Promise<StoredUpload> {
  const record = await uploads.find(id)
  if (record === undefined) throw noUpload(id)
  const { document } = record
  if (!isUpload(document)) throw new StoreFailure('unavailable', `${id} has a damaged record`)
  return toStoredUpload(record, document)
}

function isUpload(document: Document): document is Document & Upload {
  return hasTypes(document, uploadSchema) && document.size >= 0
}

async function* toUploads(pages: RecordPages) {
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
