import type { FastifyReply, FastifyRequest } from 'fastify'
import { registerMultipart } from '../../http/body/multipart.ts'
import { negotiate } from '../../http/negotiation/negotiate.ts'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import { sendPage } from '../../site/send-page.ts'
import type { Demo } from '../../site/demo.ts'
import { collectionNames } from '../../stores/collection-names.ts'
import { removeOrphanedFiles } from '../../stores/orphaned-files.ts'
import { sweepRegularly } from '../../stores/sweep-regularly.ts'
import type { FileSpace } from './file-space.ts'
import { operations } from './operations.ts'
import { saveUpload, type UploadServices } from './save-upload.ts'
import { listUploads, sendUpload, toRepresentation } from './uploads.ts'
import { uploadedPage } from './views.ts'

/** One file goes up in a form, is kept, and can be had back. */
export const uploads: Demo = {
  name: 'uploads',
  title: 'Uploads',
  summary: 'A form sends one file, which is kept under a random id and can be had back.',
  links: [{ href: '/uploads', label: 'What was uploaded' }],
  tryOut: { method: 'POST', path: '/profile', file: 'upfiles' },
  open: async (app, { config, files, records }) => {
    const uploads = records.collection(collectionNames.uploads)
    const services = { config, files, uploads }
    describeRoutes(app, 'uploads', operations)
    if (config.bodyReaders.includes('multipart')) await registerMultipart(app)
    const own = { config: { readsBodyItself: true } }
    app.post('/profile', own, receiveUpload(services, await openFileSpace(services)))
    app.get('/uploads', listUploads(services))
    app.get('/uploads/:id', sendUpload(services))
    const isKnown = async (id: string) => (await uploads.find(id)) !== undefined
    const sweep = async () => {
      await files.sweep(isKnown)
      await removeOrphanedFiles(files, records)
    }
    sweepRegularly(app, { what: 'unfinished uploads', everySeconds: 600, sweep })
  },
}

/** Undefined where uploads may take any space. */
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
        // The file is kept, whatever the client can read of it.
        const { name, size } = upload
        const text = `The upload succeeded: ${name}, ${String(size)} bytes, is kept at ${where}\n`
        return sendText(reply, text)
      }
    }
  }
}
