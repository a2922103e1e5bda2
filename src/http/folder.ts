import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { methodNotAllowed } from './refusal.ts'

/** Where a folder is shown: `prefix` begins and ends with a slash; the first root with a file wins. */
interface Folder {
  roots: readonly string[]
  prefix: string
}

/**
 * Serves the files of a folder with validators and ranges. No listings, no files whose name begins
 * with a dot, no way out.
 */
export async function serveFolder(app: FastifyInstance, { roots, prefix }: Folder): Promise<void> {
  await app.register(fastifyStatic, { root: [...roots], prefix, dotfiles: 'ignore' })

  // Which paths a folder has only a look at it tells, so 405 is told from 404 here.
  const answerOtherMethod = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const isKnown = await Promise.all(roots.map((root) => isFile(root, path.slice(prefix.length))))
    if (!isKnown.includes(true)) {
      reply.callNotFound()
      return reply
    }
    const allow = ['GET', 'HEAD', 'OPTIONS']
    if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, path, allow)
    return reply.code(204).header('allow', allow.join(', ')).send()
  }
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: `${prefix}*`,
    // Before the body is read: nobody wants it.
    onRequest: answerOtherMethod,
    handler: answerOtherMethod,
  })
}

async function isFile(root: string, path: string): Promise<boolean> {
  const segments = decodeURIComponent(path).split('/')
  if (segments.some((segment) => segment.startsWith('.') || segment.includes('\0'))) return false
  const found = await stat(join(root, ...segments)).catch(() => undefined)
  return found?.isFile() ?? false
}
