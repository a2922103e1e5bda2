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

type Handle<More> = (
  request: FastifyRequest,
  reply: FastifyReply,
  services: BinServices & More,
) => unknown

export interface BinEndpoint extends Omit<Route, 'method' | 'handler'> {
  /** Any method if unset. */
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  handle: Handle<object>
}

interface SecretEndpoint extends Operation {
  method: 'GET' | 'PATCH' | 'DELETE'
  /** Below the bin. */
  path?: string
  handle: Handle<{ bin: OpenedBin }>
}

const bearer = 'Requires the secret: `Authorization: Bearer …`, or the cookie of the page.'

/** An endpoint that requires the secret of the bin. */
export function ofBin({ path = '', handle, ...operation }: SecretEndpoint): BinEndpoint {
  const { method, description = '', parameters = [], errors = [] } = operation
  return {
    ...operation,
    url: `/bins/:id${path}`,
    description: `${description} ${bearer}`.trimStart(),
    parameters: [binParameter, ...parameters],
    errors: [401, 404, 410, ...errors],
    store: method === 'GET' ? 'reads' : 'writes',
    config: { defaultType: 'json', isUnrecorded: true },
    handle: async (request, reply, services) =>
      handle(request, reply, { ...services, bin: await openBin(services.bins, request, reply) }),
  }
}

export function sendRemoved(request: FastifyRequest, reply: FastifyReply, page: string) {
  setFlash(request, reply, 'removed')
  return isForm(request) ? reply.redirect(page, 303) : reply.code(204).send()
}
