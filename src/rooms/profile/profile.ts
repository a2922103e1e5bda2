import { registerMultipart } from '../../http/multipart.ts'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { sendText } from '../../http/send.ts'
import type { Room } from '../../room.ts'
import { operations } from './operations.ts'
import { saveUpload } from './save-upload.ts'
import { listUploads, sendUpload } from './uploads.ts'

/** One file goes up in a form, is kept, and can be had back. */
export const profile: Room = {
  name: 'profile',
  title: 'Uploads',
  summary: 'A form sends one file, which is kept under a random id and can be had back.',
  links: [{ href: '/uploads', label: 'What was uploaded' }],
  tryOut: { method: 'POST', path: '/profile', file: 'upfiles' },
  open: async (app, house) => {
    describeRoutes(app, 'profile', operations)
    if (house.config.bodyReaders.includes('multipart')) await registerMultipart(app)
    app.post('/profile', async (request, reply) => {
      const { id, name, size } = await saveUpload(request, house)
      const where = `/uploads/${id}`
      return sendText(
        reply.header('location', where),
        `The upload succeeded: ${name}, ${String(size)} bytes, is kept at ${where}\n`,
      )
    })
    app.get('/uploads', listUploads(house))
    app.get('/uploads/:id', sendUpload(house))
    await house.files.sweep(async (id) => (await house.records.find('uploads', id)) !== undefined)
  },
}
