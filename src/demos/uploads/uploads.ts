import { negotiate } from '../../http/negotiation/negotiate.ts'
import type { Route } from '../../http/openapi/route.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import { nameIgnored } from '../../http/response/ignored-fields.ts'
import { sendPage } from '../../site/send-page.ts'
import { servesFile, type Demo } from '../../site/demo.ts'
import { openPerSandbox, toPlaceName } from '../../stores/sandboxes/sandboxes.ts'
import { createFileSpaces } from './file-space.ts'
import { toUploadedText, uploadOperation } from './documentation.ts'
import { saveUpload, uploadSchema, type UploadServices } from './save-upload.ts'
import { deleteUpload, getUpload, getUploads, uploadsName } from './stored-uploads.ts'
import { renderUploaded } from './views.ts'

export const uploads: Demo = {
  name: uploadsName,
  title: 'Uploads',
  summary: 'Upload a file with a form. It is stored under a random id and can be downloaded.',
  group: 'Files',
  page: '/uploads',
  samples: [
    { title: 'Upload a file', method: 'POST', path: '/profile', file: 'upfiles' },
    { title: 'List the uploads', method: 'GET', path: '/uploads' },
  ],
  lookFor:
    'The file is one part of a body of the type `multipart/form-data`, and `boundary` separates the parts.',
  form: '/profile.html',
  collections: [{ name: uploadsName, schema: uploadSchema, isOfFiles: true }],
  routes: async ({ config, files, records, sandboxes }) => {
    const uploads = records.collection(uploadsName)
    const measureClient = async () => {
      let bytes = 0
      // One after another: others need the connections of PostgreSQL too.
      for (const place of await sandboxes.findPlacesOfClient())
        bytes += await records.measureFiles(toPlaceName(place, uploadsName))
      return bytes
    }
    const measureAll = () => records.measureFiles(uploadsName)
    const open = createFileSpaces({ measureAll, measureClient }, config)
    const findSpace = openPerSandbox(() => open(uploads))
    const formPath = (await servesFile(config, '/profile.html'))
      ? '/profile.html'
      : '/demos/uploads'
    const services = { config, files, records, uploads, findSpace, formPath }
    return [postUpload(services), getUploads(services), getUpload(services), deleteUpload(services)]
  },
}

const postUpload = (services: UploadServices): Route => ({
  method: 'POST',
  url: '/profile',
  ...uploadOperation,
  config: { readsBodyItself: true },
  handler: async (request, reply) => {
    const type = negotiate(request, reply, ['text/plain', 'text/html', 'application/json'])
    const { upload, ignored } = await saveUpload(request, services)
    nameIgnored(reply, ignored)
    reply.header('location', `/uploads/${upload._id}`)
    if (type === 'text/html') return sendPage(reply, renderUploaded(upload, services.formPath))
    if (type === 'application/json') return sendJson(reply, upload)
    // The file is stored, even if the client accepts none of the types.
    return sendText(reply, toUploadedText(upload))
  },
})
