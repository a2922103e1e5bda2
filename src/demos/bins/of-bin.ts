import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../../http/body/body-reader.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { pathParameter } from '../../http/openapi/content.ts'
import type { Operation } from '../../http/openapi/operation.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { openBin } from './access.ts'
import type { Bin } from './bin-store.ts'
import type { BinServices } from './capture.ts'
import type { CapturedRequest } from './captured-request.ts'
import { binParameter, exampleRequest } from './documentation.ts'

type Handler<Opened> = (request: FastifyRequest, reply: FastifyReply, opened: Opened) => unknown

interface PrivateRoute<Opened> extends Omit<Operation, 'store' | 'session'> {
  method: 'GET' | 'PATCH' | 'DELETE'
  /** Below the bin, or below the request. */
  path?: string
  handler: Handler<Opened>
}

/** A route that requires the secret of the bin. */
export function ofBin(
  { bins }: BinServices,
  { path = '', handler, ...operation }: PrivateRoute<Bin>,
): Route {
  const { method, description = '', parameters = [], errors = [] } = operation
  return {
    ...operation,
    url: `/bins/:id${path}`,
    description: `${description} ${bearer}`.trimStart(),
    parameters: [binParameter, ...parameters],
    errors: [401, 404, 410, ...errors],
    store: method === 'GET' ? 'reads' : 'writes',
    config: { defaultType: 'json' },
    handler: async (request, reply) => handler(request, reply, await openBin(bins, request, reply)),
  }
}

const bearer = 'Requires the secret: `Authorization: Bearer …`, or the cookie of the page.'

export interface OpenedRequest {
  bin: Bin
  captured: CapturedRequest
}

const requestParameter = pathParameter('n', 'The id of the request.', exampleRequest.id)

export function ofRequest(
  services: BinServices,
  { path = '', handler, parameters = [], ...route }: PrivateRoute<OpenedRequest>,
): Route {
  return ofBin(services, {
    ...route,
    path: `/requests/:n${path}`,
    parameters: [requestParameter, ...parameters],
    handler: async (request, reply, bin) => {
      const captured = await findRequest(services, bin, toPathParameter(request, 'n'))
      return handler(request, reply, { bin, captured })
    },
  })
}

/** Throws 404. */
export async function findRequest({ requests }: BinServices, bin: Bin, id: string) {
  const captured = await requests.find(bin.id, id)
  if (captured) return captured
  throw notFound(`The bin has no request ${id}.`, toBack(bin))
}

export const toBack = ({ id }: Bin) => [`/bins/${id}`, 'Requests of the bin'] as const

export function sendRemoved(request: FastifyRequest, reply: FastifyReply, page: string) {
  return isForm(request) ? reply.redirect(page, 303) : reply.code(204).send()
}
