import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../../http/body/body-reader.ts'
import { parseJson } from '../../http/body/parse-json.ts'
import { badRequest, conflict } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { pageContent, text } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { Route } from '../../http/openapi/route.ts'
import { isObject } from '../../http/request/parameters.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendJson } from '../../http/response/send.ts'
import { sendPage } from '../../site/page.ts'
import {
  findLinkSecret,
  findOwnIds,
  findSecrets,
  removeSecretCookie,
  setSecretCookie,
} from './access.ts'
import { isSecretOf } from './bin-ids.ts'
import type { Bin } from './bin-store.ts'
import type { BinServices } from './capture.ts'
import { toRow } from './captured-request.ts'
import { binContent, newBinContent, removed, responseContent, toPage } from './documentation.ts'
import type { BinEvents } from './events.ts'
import { collect, findMatching } from './list-requests.ts'
import { ofBin, sendRemoved } from './of-bin.ts'
import { parseRequestList } from './parse-list.ts'
import { parseResponse } from './respond.ts'
import { renderBinPage, renderBinsPage } from './views.ts'

export function binRoutes(services: BinServices, events: BinEvents): Route[] {
  return [
    getBinsPage(services),
    createBin(services),
    getBin(services, events),
    changeBin(services),
    removeBin(services),
  ]
}

function getBinsPage({ config }: BinServices): Route {
  return {
    method: 'GET',
    url: '/bins',
    summary: 'Get the page of your bins',
    content: pageContent,
    errors: [406],
    handler: (request, reply) => {
      chooseType(request, reply, ['text/html'])
      reply.header('cache-control', 'no-store')
      const ids = findOwnIds(request)
      return sendPage(reply, renderBinsPage(ids, config.binDays, toOrigin(request)))
    },
  }
}

function createBin(services: BinServices): Route {
  return {
    method: 'POST',
    url: '/bins',
    summary: 'Create a bin',
    description:
      'The URL of the bin captures every request. With `Accept: text/html`, redirects to its page.',
    requestBody: { content: responseContent },
    responses: {
      201: {
        description: 'The bin, with its secret.',
        headers: responseHeaders('Location'),
        content: newBinContent,
      },
      303: toPage,
    },
    errors: [406],
    store: 'writes',
    config: { defaultType: 'json' },
    handler: async (request, reply) => {
      const hasPage = isPage(request, reply)
      const { secret, ...bin } = await services.bins.create(findResponse(request, services))
      reply.header('cache-control', 'no-store').header('location', toPagePath(bin))
      if (!hasPage) return sendJson(reply.code(201), { ...binToJson(bin), secret })
      setSecretCookie(reply, bin, secret)
      return reply.code(303).send()
    },
  }
}

const maxRows = 200

function getBin(services: BinServices, events: BinEvents): Route {
  const { requests } = services
  const route = ofBin(services, {
    method: 'GET',
    summary: 'Get a bin',
    parameters: [
      {
        ...{ name: 'secret', in: 'query', schema: text, example: '' },
        description: 'The secret, which becomes a cookie: then redirects to the page.',
      },
    ],
    responses: {
      200: { description: 'The bin.', content: { ...pageContent, ...binContent } },
      303: toPage,
    },
    errors: [406],
    handler: async (request, reply, bin) => {
      if (!isPage(request, reply)) return sendJson(reply, binToJson(bin))
      const list = parseRequestList(request)
      // Before the list, so that the page misses no request.
      const lastEvent = await events.findLast()
      const newest = await collect(findMatching(requests.pages(bin.id, true), list), maxRows)
      const secret = findSecrets(request, bin).find((one) => isSecretOf(bin.secretHash, one)) ?? ''
      const { parameters } = list
      const exchanges = newest.map(toRow)
      const view = { origin: toOrigin(request), secret, exchanges, parameters, lastEvent }
      return sendPage(reply, renderBinPage(bin, view))
    },
  })
  return { ...route, onRequest: followLink(services) }
}

/** The secret of a link becomes a cookie. */
function followLink({ bins }: BinServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const secret = findLinkSecret(request)
    if (secret === undefined) return
    const bin = await bins.find(toPathParameter(request, 'id'))
    if (isSecretOf(bin.secretHash, secret)) setSecretCookie(reply, bin, secret)
    return reply.header('cache-control', 'no-store').redirect(toPagePath(bin), 303)
  }
}

function changeBin(services: BinServices): Route {
  return ofBin(services, {
    method: 'PATCH',
    summary: 'Change the response of a bin',
    requestBody: { content: responseContent, required: true },
    responses: { 200: { description: 'The bin.', content: binContent }, 303: toPage },
    errors: [409],
    handler: async (request, reply, bin) => {
      const response = findResponse(request, services) ?? bin.response
      if (!(await services.bins.setResponse(bin, response)))
        throw conflict('The bin was changed at the same time.')
      if (isForm(request)) return reply.redirect(toPagePath(bin), 303)
      return sendJson(reply, binToJson({ ...bin, response }))
    },
  })
}

function removeBin(services: BinServices): Route {
  return ofBin(services, {
    method: 'DELETE',
    summary: 'Remove a bin',
    responses: removed,
    handler: async (request, reply, bin) => {
      await services.bins.remove(bin.id)
      removeSecretCookie(reply, bin)
      return sendRemoved(request, reply, '/bins')
    },
  })
}

const isPage = (request: FastifyRequest, reply: FastifyReply) =>
  chooseType(request, reply, ['application/json', 'text/html']) === 'text/html'

const toPagePath = ({ id }: Bin) => `/bins/${id}`

function binToJson({ id, createdAt, expiresAt, response }: Bin) {
  return { id, url: `/b/${id}/`, createdAt, expiresAt, response: JSON.parse(response) as unknown }
}

/** In a form, a description is JSON. Throws 400. */
function findResponse(request: FastifyRequest, { config }: BinServices): string | undefined {
  const body = request.body ?? {}
  if (!isObject(body)) throw badRequest('The body must be a JSON object or a form.')
  const { response, ...others } = body
  const unknown = Object.keys(others).find((name) => name !== '_method')
  if (unknown !== undefined)
    throw badRequest(`The member ${unknown} is not allowed. A bin has only the member response.`)
  if (response === undefined) return undefined
  const isText = typeof response === 'string' && isForm(request)
  return parseResponse(isText ? parseJson(response, config, 'response') : response, config)
}
