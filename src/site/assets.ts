import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import mime from 'mime'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFile } from '../http/response/static-files.ts'
import { toFileOperation } from '../http/openapi/files.ts'
import { registerRoutes } from '../http/openapi/route.ts'
import { notFound } from '../http/errors/http-error.ts'
import { sendBytes } from '../http/response/send-bytes.ts'

const own = fileURLToPath(new URL('assets', import.meta.url))
const packaged = dirname(fileURLToPath(import.meta.resolve('simpledotcss/simple.min.css')))

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
  'simple.min.css': packaged,
}

/** Serves the stylesheets, scripts and images of the pages at `/assets/…`. */
export function openAssets(app: FastifyInstance): void {
  const assets = Object.entries(folders).map(([name, folder]) => ({
    method: 'GET' as const,
    url: `/assets/${name}`,
    ...toFileOperation(`Get ${name}`, mime.getType(name) ?? 'application/octet-stream'),
    handler: sendAsset(folder, name),
  }))
  registerRoutes(app, { file: import.meta.filename }, [
    ...assets,
    {
      method: 'GET',
      // Browsers request it for responses that are not HTML and so have no icon link.
      url: '/favicon.ico',
      ...toFileOperation('Get the icon', 'image/svg+xml'),
      handler: sendAsset(own, 'icon.svg'),
    },
  ])
}

function sendAsset(folder: string, name: string) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const file = await findFile(folder, `/${name}`)
    if (file === undefined) throw notFound(`${name} does not exist.`)
    return sendBytes(request, reply, file)
  }
}
