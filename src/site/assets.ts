import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import mime from 'mime'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFile } from '../http/response/static-files.ts'
import { toFileOperation } from '../http/openapi/files.ts'
import { describeRoutes } from '../http/openapi/operation.ts'
import { notFound } from '../http/errors/http-error.ts'
import { sendBytes } from '../http/response/send-bytes.ts'

const own = fileURLToPath(new URL('assets', import.meta.url))
const kept = dirname(fileURLToPath(import.meta.resolve('simpledotcss/simple.min.css')))

/** Every asset, and the folder that it is in. */
export const folders = {
  'vitrine.css': own,
  'icon.svg': own,
  'world.svg': own,
  'edit-form.js': own,
  'inspector.js': own,
  'try.js': own,
  'try-it-out.js': own,
  'upload.js': own,
  'session.js': own,
  'simple.min.css': kept,
}

const operations = {
  ...Object.fromEntries(
    Object.keys(folders).map((name) => [
      `GET /assets/${name}`,
      toFileOperation('A part of the pages', mime.getType(name) ?? 'application/octet-stream'),
    ]),
  ),
  'GET /favicon.ico': toFileOperation('The icon', 'image/svg+xml'),
}

/** `/assets/…`: the stylesheets, scripts and icon of our own pages. Always there. */
export function openAssets(app: FastifyInstance): void {
  describeRoutes(app, 'vitrine', operations)
  for (const [name, folder] of Object.entries(folders)) {
    app.get(`/assets/${name}`, sendAsset(folder, name))
  }
  // A browser looks for it beside answers that are no pages, and so name no icon.
  app.get('/favicon.ico', sendAsset(own, 'icon.svg'))
}

function sendAsset(folder: string, name: string) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const file = await findFile(folder, `/${name}`)
    if (file === undefined) throw notFound(`There is no ${name}.`)
    return sendBytes(request, reply, file)
  }
}
