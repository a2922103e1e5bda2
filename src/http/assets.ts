import type { FastifyInstance } from 'fastify'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveFolder } from './folder.ts'

const roots = [
  fileURLToPath(new URL('assets', import.meta.url)),
  dirname(fileURLToPath(import.meta.resolve('simpledotcss/simple.min.css'))),
]

/** `/assets/…`: the stylesheets, scripts and icon of our own pages. */
export async function openAssets(app: FastifyInstance): Promise<void> {
  await serveFolder(app, { roots, prefix: '/assets/' })
}
