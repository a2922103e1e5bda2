import type { FastifyReply, FastifyRequest } from 'fastify'
import { findFile } from '../../http/response/static-files.ts'
import { sendOptions } from '../../http/request/options.ts'
import { methodNotAllowed } from '../../http/errors/http-error.ts'
import { sendBytes } from '../../http/response/send-bytes.ts'
import { toPath } from '../../http/request/target.ts'
import type { Demo } from '../../site/demo.ts'

const methodsOfFiles = ['GET', 'HEAD', 'OPTIONS'] as const

/** The files of PUBLIC_DIR as they are, at the addresses that no other room has. */
export const staticFiles: Demo = {
  name: 'static',
  title: 'Static pages',
  summary: 'Files as they are, with validators and ranges: pages whose forms use the other rooms.',
  links: [
    { href: '/topic.html', label: 'A form that sends by GET' },
    { href: '/toc.html', label: 'A form that sends by POST' },
    { href: '/profile.html', label: 'A form that uploads a file' },
  ],
  tryOut: { method: 'GET', path: '/topic.html' },
  open: (app, { config: { publicDir, corsOrigins } }) => {
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const path = toPath(request.url)
      const file = await findFile(publicDir, path)
      if (file === undefined) {
        reply.callNotFound()
        return reply
      }
      if (request.method === 'GET' || request.method === 'HEAD') {
        return sendBytes(request, reply, file)
      }
      // A route may have other methods where the file is.
      const { methods: others = [], headers = {} } = app.findAllowedMethods(path) ?? {}
      const methods = [...new Set([...others, ...methodsOfFiles])]
      if (request.method !== 'OPTIONS') {
        throw methodNotAllowed(request.method, path, { methods, isJson: false })
      }
      const offer = { methods, headers: { ...headers, allow: methods.join(', ') } }
      return sendOptions(request, reply, { ...offer, corsOrigins })
    }
    // Before a body is read: nobody wants it. A path is known when there is such a file, which only
    // a look at the folder tells.
    const hasPath = async (path: string) => (await findFile(publicDir, path)) !== undefined
    app.all('/*', { onRequest: answer, config: { hasPath } }, answer)
  },
}
