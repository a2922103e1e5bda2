import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readdir } from 'node:fs/promises'
import { methodNotAllowed } from '../../http/errors/http-error.ts'
import type { Route } from '../../http/openapi/route.ts'
import { sendOptions } from '../../http/request/options.ts'
import { toPath } from '../../http/request/target.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { withFile } from '../../http/response/static-files.ts'
import type { Demo, Services } from '../../site/demo.ts'

const sample = {
  title: 'A file',
  method: 'GET',
  path: '/{file}',
  featured: 'A static file',
} as const

export const staticFiles: Demo = {
  name: 'static',
  title: 'Static pages',
  summary:
    'Static files with ETag, Last-Modified and range requests. Some have forms for other demos.',
  group: 'Files',
  lookFor:
    '`ETag` and `Last-Modified` are validators: with them a client asks whether its copy is current, and the response is 304.',
  toTexts: ({ publicDir }) => toSamples(publicDir),
  routes: ({ config }, app) => [anyFile(config, app)],
}

const maxChoices = 20

/** A request for any of the files, HTML pages first. */
async function toSamples(publicDir: string) {
  const entries = await readdir(publicDir, { withFileTypes: true }).catch(() => [])
  const files = entries.flatMap((one) =>
    one.isFile() && !one.name.startsWith('.') ? one.name : [],
  )
  const isPage = (name: string) => /\.html?$/i.test(name)
  const names = files.toSorted((a, b) => Number(isPage(b)) - Number(isPage(a)) || (a < b ? -1 : 1))
  const choices = Object.fromEntries(names.slice(0, maxChoices).map((name) => [name, name]))
  const [file] = names
  return { samples: file === undefined ? [] : [{ ...sample, parameters: { file }, choices }] }
}

function anyFile(config: Services['config'], app: FastifyInstance): Route {
  const hasPath = async (path: string) =>
    withFile(config.publicDir, path, (file) => file !== undefined)
  const handler = createFileHandler(config, app)
  return {
    method: app.supportedMethods,
    url: '/*',
    summary: 'Get a file of PUBLIC_DIR',
    config: { hasPath },
    onRequest: handler,
    handler,
  }
}

function createFileHandler({ publicDir, corsOrigins }: Services['config'], app: FastifyInstance) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const path = toPath(request.url)
    const sent = withFile(publicDir, path, (file) => {
      if (file === undefined) {
        reply.callNotFound()
        return reply
      }
      const { method } = request
      if (method === 'GET' || method === 'HEAD') return sendBytes(request, reply, file)
      // The path of a file can have a route with other methods.
      const { methods: others = [], headers } = app.findAllowedMethods(path) ?? {}
      const methods = [...new Set([...others, 'GET', 'HEAD', 'OPTIONS'])]
      if (method !== 'OPTIONS') throw methodNotAllowed(method, path, { methods, isJson: false })
      const allow = methods.join(', ')
      return sendOptions(request, reply, { methods, headers: { ...headers, allow }, corsOrigins })
    })
    return sent instanceof Promise ? sent : undefined
  }
}
