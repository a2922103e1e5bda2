import type { RouteHandlerMethod } from 'fastify'
import { isForm } from '../../http/body/body-reader.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import type { Route } from '../../http/openapi/route.ts'
import { sendJson } from '../../http/response/send.ts'
import { sendDiff } from '../../inspector/exchange-routes.ts'
import { toHar } from '../../inspector/har.ts'
import { toMessages } from '../../inspector/message-http.ts'
import { sendPage } from '../../site/page.ts'
import { openBin } from './access.ts'
import type { BinServices } from './capture.ts'
import { toExchange } from './captured-request.ts'
import { operations } from './documentation.ts'
import type { BinEvents } from './events.ts'
import { collect, findMatching, listRequests, requestToJson } from './list-requests.ts'
import { parseRequestList } from './parse-list.ts'
import {
  filesToJson,
  findRequest,
  openRequest,
  readFiles,
  sendBody,
  sendFile,
} from './send-body.ts'
import { renderRequestPage, toUrl } from './views.ts'

export function requestRoutes(services: BinServices, events: BinEvents): Route[] {
  const { bins, requests } = services
  const config = { defaultType: 'json' } as const
  const ofBin = { url: '/bins/:id/requests', config }
  const ofRequest = { url: '/bins/:id/requests/:n', config }
  return [
    { method: 'GET', ...ofBin, ...operations.list, handler: listRequests(services, events) },
    {
      method: 'DELETE',
      ...ofBin,
      ...operations.clear,
      handler: async (request, reply) => {
        const bin = await openBin(bins, request, reply)
        await requests.removeAll(bin.id)
        return isForm(request) ? reply.redirect(`/bins/${bin.id}`, 303) : reply.code(204).send()
      },
    },
    {
      method: 'GET',
      url: '/bins/:id/requests.har',
      config,
      ...operations.archive,
      handler: async (request, reply) => {
        const { id } = await openBin(bins, request, reply)
        const list = parseRequestList(request)
        const found = await collect(findMatching(requests.pages(id), list))
        reply.header('content-disposition', `attachment; filename="bin.har"`)
        return sendJson(reply, toHar(found.map(toExchange)))
      },
    },
    {
      method: 'GET',
      url: '/bins/:id/diff',
      config,
      ...operations.compare,
      handler: async (request, reply) => {
        const { id } = await openBin(bins, request, reply)
        const load = async (n: string) => toExchange(await findRequest(services, id, n))
        const back = [`/bins/${id}`, 'Requests of the bin'] as const
        return sendDiff(request, reply, { load, toUrl: toUrl(id), back })
      },
    },
    {
      method: 'GET',
      url: '/bins/:id/events',
      config,
      ...operations.events,
      handler: async (request, reply) => {
        const { id } = await openBin(bins, request, reply)
        return events.send(request, reply, id)
      },
    },
    {
      method: 'GET',
      ...ofRequest,
      ...operations.readRequest,
      handler: readRequest(services),
    },
    {
      method: 'DELETE',
      ...ofRequest,
      ...operations.removeRequest,
      handler: async (request, reply) => {
        const { bin, captured } = await openRequest(services, request, reply)
        await requests.remove(bin.id, captured.id)
        return reply.code(204).send()
      },
    },
    {
      method: 'GET',
      url: '/bins/:id/requests/:n/body',
      config,
      ...operations.readBody,
      handler: sendBody(services),
    },
    {
      method: 'GET',
      url: '/bins/:id/requests/:n/files/:k',
      config,
      ...operations.readFile,
      handler: sendFile(services),
    },
  ]
}

const offers = ['application/json', 'text/html', 'message/http'] as const

function readRequest(services: BinServices): RouteHandlerMethod {
  return async (request, reply) => {
    const type = chooseType(request, reply, offers)
    const { bin, captured } = await openRequest(services, request, reply)
    if (type === 'message/http') return reply.type(type).send(toMessages(toExchange(captured)))
    const files = filesToJson(bin, captured, await readFiles(services, bin, captured))
    if (type === 'text/html') return sendPage(reply, renderRequestPage(bin, captured, files))
    return sendJson(reply, { ...requestToJson(bin.id, captured), files })
  }
}
