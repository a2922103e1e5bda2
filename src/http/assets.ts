import type { FastifyInstance } from 'fastify'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFile } from './folder.ts'
import { notFound } from './refusal.ts'
import { sendBytes } from './send-bytes.ts'

const own = fileURLToPath(new URL('assets', import.meta.url))
const kept = dirname(fileURLToPath(import.meta.resolve('simpledotcss/simple.min.css')))

const folders = {
  'vitrine.css': own,
  'icon.svg': own,
  'edit-form.js': own,
  'simple.min.css': kept,
}

/** `/assets/…`: the stylesheets, scripts and icon of our own pages. Always there. */
export function openAssets(app: FastifyInstance): void {
  for (const [name, folder] of Object.entries(folders)) {
    app.get(`/assets/${name}`, async (request, reply) => {
      const file = await findFile(folder, `/${name}`)
      if (file === undefined) throw notFound(`There is no ${name}.`)
      return sendBytes(request, reply.header('cache-control', 'no-cache'), file)
    })
  }
}
