import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../../http/body/body-reader.ts'
import { HttpError } from '../../http/errors/http-error.ts'
import { chooseErrorForm } from '../../http/errors/send-error.ts'
import { queryParameters } from '../../http/openapi/content.ts'
import type { Operation } from '../../http/openapi/operation.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPath, toPathParameter } from '../../http/request/target.ts'
import type { Services } from '../../site/demo.ts'
import { setFlash } from '../../site/flash.ts'
import { sendPage } from '../../site/send-page.ts'
import { findLinkSecret, openBin, setSecretCookie, type OpenedBin } from './access.ts'
import type { BinStore } from './bin-store.ts'
import { binParameter } from './documentation.ts'
import type { BinEvents } from './events.ts'
import type { RequestStore } from './request-store.ts'
import { renderSecretPage } from './views.ts'

export interface BinServices extends Services {
  bins: BinStore
  requests: RequestStore
  events: BinEvents
}

interface SecretOperation extends Operation {
  method: 'GET' | 'PATCH' | 'DELETE'
  path?: string
  handle: (
    request: FastifyRequest,
    reply: FastifyReply,
    services: BinServices & { bin: OpenedBin },
  ) => unknown
}

const bearer = 'Requires the secret: `Authorization: Bearer …`, or the cookie of the page.'
const secretParameter = queryParameters({
  secret: ['The secret. A browser keeps it as a cookie, and is redirected.', ''],
})

export function ofBin({ path = '', handle, ...operation }: SecretOperation) {
  const { method, description = '', parameters = [], errors = [] } = operation
  const isRead = method === 'GET'
  return (services: BinServices) =>
    ({
      ...operation,
      url: `/bins/:id${path}`,
      description: `${description} ${bearer}`.trimStart(),
      parameters: [binParameter, ...parameters, ...(isRead ? secretParameter : [])],
      errors: [401, 404, 410, ...errors],
      store: isRead ? 'reads' : 'writes',
      config: { defaultType: 'json', isUnrecorded: true },
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        reply.header('cache-control', 'no-store')
        const isPage = isRead && chooseErrorForm(request, reply) === 'html'
        const shared = isRead ? toPathParameter(request, 'n') : undefined
        try {
          const bin = await openBin(services.bins, reply, shared)
          if (!isPage || bin.secret === '' || findLinkSecret(request) === undefined)
            return await handle(request, reply, { ...services, bin })
          setSecretCookie(reply, bin)
          return await reply.redirect(toPath(request.url), 303)
        } catch (error) {
          if (!isPage || !(error instanceof HttpError) || error.status !== 401) throw error
          const page = renderSecretPage(toPath(request.url), error.message)
          return sendPage(reply.code(401).headers(error.headers), page)
        }
      },
    }) satisfies Route
}

export function sendRemoved(request: FastifyRequest, reply: FastifyReply, page: string) {
  setFlash(request, reply, 'removed')
  return isForm(request) ? reply.redirect(page, 303) : reply.code(204).send()
}
