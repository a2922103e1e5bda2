import type { FastifyReply, FastifyRequest } from 'fastify'
import { registerMultipart } from '../../http/body/multipart.ts'
import { negotiate } from '../../http/negotiation/negotiate.ts'
import { pathParameter } from '../../http/openapi/content.ts'
import { toFileOperation } from '../../http/openapi/files.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import { sendPage } from '../../site/send-page.ts'
import type { Demo } from '../../site/demo.ts'
import { collectionNames } from '../../stores/collection-names.ts'
import { removeOrphanedFiles } from '../../stores/orphaned-files.ts'
import { sweepRegularly } from '../../stores/sweep-regularly.ts'
import type { FileSpace } from './file-space.ts'
import { exampleUpload, listOperation, uploadOperation } from './documentation.ts'
import { saveUpload, type UploadServices } from './save-upload.ts'
import { listUploads, sendUpload, toRepresentation } from './stored-uploads.ts'
import { uploadedPage } from './views.ts'

/** A form uploads one file, which is stored and can be downloaded. */
export const uploads: Demo = {
  name: 'uploads',
  title: 'Uploads',
  summary: 'Upload a file with a form. It is stored under a random id and can be downloaded.',
  links: [{ href: '/uploads', label: 'All uploads' }],
  tryOut: { method: 'POST', path: '/profile', file: 'upfiles' },
  routes: async ({ config, files, records }, app) => {
    const uploads = records.collection(collectionNames.uploads)
    const services = { config, files, uploads }
    if (config.bodyReaders.includes('multipart')) await registerMultipart(app)
    const isKnown = async (id: string) => (await uploads.find(id)) !== undefined
    const sweep = async () => {
      await files.sweep(isKnown)
      await removeOrphanedFiles(files, records)
    }
    sweepRegularly(app, { what: 'unfinished uploads', everySeconds: 600, sweep })
    return [
      {
        method: 'POST',
        url: '/profile',
        ...uploadOperation,
        config: { readsBodyItself: true },
        handler: receiveUpload(services, await openFileSpace(services)),
      },
      { method: 'GET', url: '/uploads', ...listOperation, handler: listUploads(services) },
      {
        method: 'GET',
        url: '/uploads/:id',
        ...toFileOperation('Download a file, as an attachment', '*/*', [
          pathParameter('id', 'The id of the upload.', exampleUpload._id),
        ]),
        errors: [404, 412, 416],
        store: 'reads',
        handler: sendUpload(services),
      },
    ]
  },
}

/** Undefined when the size of all uploads is not limited. */
async function openFileSpace({ uploads, config }: UploadServices): Promise<FileSpace | undefined> {
  const { maxFilesBytes: maxBytes } = config
  if (maxBytes === undefined) return undefined
  const { createFileSpace } = await import('./file-space.ts')
  return createFileSpace(uploads, maxBytes)
}

function receiveUpload(services: UploadServices, space: FileSpace | undefined) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = negotiate(request, reply, ['text/plain', 'text/html', 'application/json'])
    const upload = await saveUpload(request, services, space)
    const where = `/uploads/${upload.id}`
    reply.header('location', where)
    switch (type) {
      case 'text/html':
        return sendPage(reply, uploadedPage(upload))
      case 'application/json':
        return sendJson(reply, toRepresentation(upload))
      default: {
        // The file is stored, even if the client accepts none of the types.
        const { name, size } = upload
        const text = `The upload succeeded: ${name}, ${String(size)} bytes, is stored at ${where}\n`
        return sendText(reply, text)
      }
    }
  }
}
