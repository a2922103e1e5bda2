import type { FastifyReply, FastifyRequest } from 'fastify'
import { findFile } from '../../http/response/static-files.ts'
import { sendOptions } from '../../http/request/options.ts'
import { methodNotAllowed } from '../../http/errors/http-error.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { toPath } from '../../http/request/target.ts'
import type { Demo } from '../../site/demo.ts'

const fileMethods = ['GET', 'HEAD', 'OPTIONS'] as const

/** The files of PUBLIC_DIR, at the paths that have no route. */
export const staticFiles: Demo = {
  name: 'static',
  title: 'Static pages',
  summary: 'Files with validators and ranges. Some are pages with forms for the other demos.',
  links: [
    { href: '/topic.html', label: 'A form that uses GET' },
    { href: '/toc.html', label: 'A form that uses POST' },
    { href: '/profile.html', label: 'A form that uploads a file' },
  ],
  tryOut: { method: 'GET', path: '/topic.html' },
  routes: ({ config: { publicDir, corsOrigins } }, app) => {
    const sendFile = async (request: FastifyRequest, reply: FastifyReply) => {
      const path = toPath(request.url)
      const file = await findFile(publicDir, path)
      if (file === undefined) {
        reply.callNotFound()
        return reply
      }
      if (request.method === 'GET' || request.method === 'HEAD') {
        return sendBytes(request, reply, file)
      }
      // The path of a file can have a route with other methods.
      const { methods: others = [], headers = {} } = app.findAllowedMethods(path) ?? {}
      const methods = [...new Set([...others, ...fileMethods])]
      if (request.method !== 'OPTIONS') {
        throw methodNotAllowed(request.method, path, { methods, isJson: false })
      }
      const offer = { methods, headers: { ...headers, allow: methods.join(', ') } }
      return sendOptions(request, reply, { ...offer, corsOrigins })
    }
    const hasPath = async (path: string) => (await findFile(publicDir, path)) !== undefined
    return [
      {
        method: app.supportedMethods,
        url: '/*',
        summary: 'Get a file of PUBLIC_DIR',
        config: { hasPath },
        // Responds before the body is read, which no file needs.
        onRequest: sendFile,
        handler: sendFile,
      },
    ]
  },
}
