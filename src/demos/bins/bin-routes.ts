import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../../http/body/body-reader.ts'
import { parseJson } from '../../http/body/parse-json.ts'
import { conflict } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import type { Route } from '../../http/openapi/route.ts'
import { isObject } from '../../http/request/parameters.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendJson } from '../../http/response/send.ts'
import { sendPage } from '../../site/page.ts'
import {
  findLinkSecret,
  findOwnIds,
  openBin,
  removeSecretCookie,
  setSecretCookie,
} from './access.ts'
import { isSecretOf } from './bin-ids.ts'
import type { Bin } from './bin-store.ts'
import type { BinServices } from './capture.ts'
import { toRow } from './captured-request.ts'
import { operations } from './documentation.ts'
import { collect, findMatching } from './list-requests.ts'
import { parseRequestList } from './parse-list.ts'
import { parseResponse } from './respond.ts'
import { renderBinPage, renderBinsPage } from './views.ts'

const isPage = (request: FastifyRequest, reply: FastifyReply) =>
  chooseType(request, reply, ['application/json', 'text/html']) === 'text/html'

const toPage = (bin: Bin) => `/bins/${bin.id}`

function binToJson({ id, createdAt, expiresAt, response }: Bin) {
  return { id, url: `/b/${id}/`, createdAt, expiresAt, response: JSON.parse(response) as unknown }
}

/** In a form, a description is JSON. */
function findResponse({ body }: FastifyRequest, { config }: BinServices): string | undefined {
  const { response } = isObject(body) ? body : {}
  if (response === undefined) return undefined
  const value = typeof response === 'string' ? parseJson(response, config, 'response') : response
  return parseResponse(value, config)
}

const maxRows = 200

/** The secret of a link becomes a cookie. */
function readBin({ bins, requests }: BinServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const hasPage = isPage(request, reply)
    const secret = findLinkSecret(request)
    if (secret !== undefined) {
      const linked = await bins.find(toPathParameter(request, 'id'))
      if (isSecretOf(linked.secretHash, secret)) setSecretCookie(reply, linked, secret)
      return reply.header('cache-control', 'no-store').redirect(toPage(linked), 303)
    }
    const bin = await openBin(bins, request, reply)
    if (!hasPage) return sendJson(reply, binToJson(bin))
    const list = parseRequestList(request)
    const newest = await collect(findMatching(requests.pages(bin.id, true), list), maxRows)
    const view = { origin: toOrigin(request), exchanges: newest.map(toRow), texts: list.texts }
    return sendPage(reply, renderBinPage(bin, view))
  }
}

export function binRoutes(services: BinServices): Route[] {
  const { bins } = services
  const json = { config: { defaultType: 'json' } } as const
  return [
    {
      method: 'GET',
      url: '/bins',
      ...operations.page,
      handler: (request, reply) => {
        chooseType(request, reply, ['text/html'])
        reply.header('cache-control', 'no-store')
        return sendPage(reply, renderBinsPage(findOwnIds(request), services.config.binDays))
      },
    },
    {
      method: 'POST',
      url: '/bins',
      ...operations.create,
      ...json,
      handler: async (request, reply) => {
        const hasPage = isPage(request, reply)
        const response = findResponse(request, services)
        const { secret, ...bin } = await bins.create(response)
        reply.header('cache-control', 'no-store').header('location', toPage(bin))
        if (!hasPage) return sendJson(reply.code(201), { ...binToJson(bin), secret })
        setSecretCookie(reply, bin, secret)
        return reply.code(303).send()
      },
    },
    {
      method: 'GET',
      url: '/bins/:id',
      ...operations.read,
      ...json,
      handler: readBin(services),
    },
    {
      method: 'PATCH',
      url: '/bins/:id',
      ...operations.change,
      ...json,
      handler: async (request, reply) => {
        const bin = await openBin(bins, request, reply)
        const response = findResponse(request, services) ?? bin.response
        if (!(await bins.setResponse(bin, response)))
          throw conflict('The bin was changed at the same time.')
        if (isForm(request)) return reply.redirect(toPage(bin), 303)
        return sendJson(reply, binToJson({ ...bin, response }))
      },
    },
    {
      method: 'DELETE',
      url: '/bins/:id',
      ...operations.remove,
      ...json,
      handler: async (request, reply) => {
        const bin = await openBin(bins, request, reply)
        await bins.remove(bin.id)
        removeSecretCookie(reply, bin)
        return isForm(request) ? reply.redirect('/bins', 303) : reply.code(204).send()
      },
    },
  ]
}
