import { isForm } from '../../http/body/body-reader.ts'
import type { Route } from '../../http/openapi/route.ts'
import { sendJson } from '../../http/response/send.ts'
import { openBin } from './access.ts'
import type { BinServices } from './capture.ts'
import { operations } from './documentation.ts'
import type { BinEvents } from './events.ts'
import { listRequests, requestToJson } from './list-requests.ts'
import { filesToJson, openRequest, readFiles, sendBody, sendFile } from './send-body.ts'

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
      handler: async (request, reply) => {
        const { bin, captured } = await openRequest(services, request, reply)
        const files = filesToJson(bin, captured, await readFiles(services, bin, captured))
        return sendJson(reply, { ...requestToJson(bin.id, captured), files })
      },
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
