import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../../http/body/body-reader.ts'
import type { Operation } from '../../http/openapi/operation.ts'
import type { Route } from '../../http/openapi/route.ts'
import type { Services } from '../../site/demo.ts'
import { setFlash } from '../../site/flash.ts'
import { openBin, type OpenedBin } from './access.ts'
import type { BinStore } from './bin-store.ts'
import { binParameter } from './documentation.ts'
import type { BinEvents } from './events.ts'
import type { RequestStore } from './request-store.ts'

export interface BinServices extends Services {
  bins: BinStore
  requests: RequestStore
  events: BinEvents
}

interface SecretOperation extends Operation {
  method: 'GET' | 'PATCH' | 'DELETE'
  /** Below the bin. */
  path?: string
  handle: (
    request: FastifyRequest,
    reply: FastifyReply,
    services: BinServices & { bin: OpenedBin },
  ) => unknown
}

const bearer = 'Requires the secret: `Authorization: Bearer …`, or the cookie of the page.'

/** A route that requires the secret of the bin. */
export function ofBin({ path = '', handle, ...operation }: SecretOperation) {
  const { method, description = '', parameters = [], errors = [] } = operation
  return (services: BinServices) =>
    ({
      ...operation,
      url: `/bins/:id${path}`,
      description: `${description} ${bearer}`.trimStart(),
      parameters: [binParameter, ...parameters],
      errors: [401, 404, 410, ...errors],
      store: method === 'GET' ? 'reads' : 'writes',
      config: { defaultType: 'json', isUnrecorded: true },
      handler: async (request: FastifyRequest, reply: FastifyReply) =>
        handle(request, reply, { ...services, bin: await openBin(services.bins, request, reply) }),
    }) satisfies Route
}

export function sendRemoved(request: FastifyRequest, reply: FastifyReply, page: string) {
  setFlash(request, reply, 'removed')
  return isForm(request) ? reply.redirect(page, 303) : reply.code(204).send()
}
