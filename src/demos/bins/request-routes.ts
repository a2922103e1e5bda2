import { chooseType } from '../../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, pathParameter, text } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { eventContent, lastEventId } from '../../http/response/event-stream.ts'
import { sendChunks, sendJson } from '../../http/response/send.ts'
import { harContent, messageContent, messageType } from '../../inspector/documentation.ts'
import { diffOperation, sendDiff } from '../../inspector/send-diff.ts'
import { toHarChunks } from '../../inspector/har.ts'
import { toMessages } from '../../inspector/message-http.ts'
import { sendPage } from '../../site/page.ts'
import type { BinServices } from './capture.ts'
import { toExchange } from './captured-request.ts'
import { exampleRequest, removed, requestContent, requestSchema } from './documentation.ts'
import type { BinEvents } from './events.ts'
import { findMatching, listRequests, requestToJson } from './list-requests.ts'
import { findRequest, ofBin, ofRequest, sendRemoved, toBack } from './of-bin.ts'
import { listParameters, parseRequestList } from './parse-list.ts'
import { filesToJson, readForm, sendBody, sendFile } from './send-body.ts'
import { renderRequestPage, toUrl } from './views.ts'

export function requestRoutes(services: BinServices, events: BinEvents): Route[] {
  return [
    getList(services, events),
    removeAll(services),
    getArchive(services),
    getDiff(services),
    streamEvents(services, events),
    getRequest(services),
    removeRequest(services),
    ...downloads(services),
  ]
}

function getList(services: BinServices, events: BinEvents): Route {
  return ofBin(services, {
    method: 'GET',
    path: '/requests',
    summary: 'List the captured requests, oldest first',
    description: 'All that match the filters; after `wait` perhaps none.',
    parameters: listParameters,
    content: {
      ...jsonContent({ type: 'array', items: requestSchema }, [exampleRequest]),
      'application/x-ndjson': { schema: text },
    },
    errors: [406],
    handler: listRequests(services, events),
  })
}

function removeAll(services: BinServices): Route {
  return ofBin(services, {
    method: 'DELETE',
    path: '/requests',
    summary: 'Remove all captured requests',
    responses: removed,
    handler: async (request, reply, { id }) => {
      await services.requests.removeAll(id)
      return sendRemoved(request, reply, `/bins/${id}`)
    },
  })
}

function getArchive(services: BinServices): Route {
  return ofBin(services, {
    method: 'GET',
    path: '/requests.har',
    summary: 'Export the captured requests as an HTTP Archive (HAR 1.2)',
    parameters: listParameters,
    content: harContent,
    errors: [406],
    handler: async (request, reply, { id }) => {
      const list = parseRequestList(request)
      const found = toExchanges(findMatching(services.requests.pages(id), list))
      reply.header('content-disposition', `attachment; filename="bin.har"`)
      return sendChunks(reply, 'application/json', toHarChunks(found, 'A longer body is cut.'))
    },
  })
}

async function* toExchanges(pages: ReturnType<typeof findMatching>) {
  for await (const page of pages) yield page.map(toExchange)
}

function getDiff(services: BinServices): Route {
  return ofBin(services, {
    ...diffOperation,
    method: 'GET',
    path: '/diff',
    summary: 'Compare two captured requests',
    errors: [406],
    handler: (request, reply, bin) => {
      const load = async (id: string) => toExchange(await findRequest(services, bin, id))
      return sendDiff(request, reply, { load, toUrl: toUrl(bin.id), back: toBack(bin) })
    },
  })
}

function streamEvents(services: BinServices, events: BinEvents): Route {
  return ofBin(services, {
    method: 'GET',
    path: '/events',
    summary: 'Stream the captured requests',
    description:
      'Server-sent events: `created` with a request without its headers and body, `deleted` with an id, and `reset` if requests are missing: list those after the id `after`.',
    parameters: [lastEventId],
    content: eventContent(
      `event: created\nid: 1795341600001\ndata: {"id":"${exampleRequest.id}","method":"POST","path":"/"}\n\n`,
    ),
    errors: [406],
    handler: (request, reply, { id }) => events.send(request, reply, id),
  })
}

const offers = ['application/json', 'text/html', messageType] as const

function getRequest(services: BinServices): Route {
  return ofRequest(services, {
    method: 'GET',
    summary: 'Get a captured request',
    content: { ...requestContent, ...pageContent, ...messageContent },
    errors: [406],
    handler: async (request, reply, opened) => {
      const { bin, captured } = opened
      const type = chooseType(request, reply, offers)
      if (type === messageType) return reply.type(type).send(toMessages(toExchange(captured)))
      const json = requestToJson(bin.id, captured)
      const { fields, ...form } = await readForm(services, opened)
      const files = filesToJson(json.url, form.files)
      if (type === 'text/html')
        return sendPage(reply, renderRequestPage(bin, captured, { fields, files }))
      return sendJson(reply, { ...json, files })
    },
  })
}

function removeRequest(services: BinServices): Route {
  return ofRequest(services, {
    method: 'DELETE',
    summary: 'Remove a captured request',
    responses: removed,
    handler: async (request, reply, { bin, captured }) => {
      await services.requests.remove(bin.id, captured.id)
      return sendRemoved(request, reply, `/bins/${bin.id}`)
    },
  })
}

function downloads(services: BinServices): Route[] {
  const attachment = {
    responses: { 200: { description: 'The bytes, as an attachment.', content: { '*/*': {} } } },
    errors: [412, 416],
  } as const
  return [
    ofRequest(services, {
      method: 'GET',
      path: '/body',
      summary: 'Download the body of a captured request',
      ...attachment,
      handler: sendBody(services),
    }),
    ofRequest(services, {
      method: 'GET',
      path: '/files/:k',
      summary: 'Download a file of a captured form',
      parameters: [pathParameter('k', 'The number of the file.', '1')],
      ...attachment,
      handler: sendFile(services),
    }),
  ]
}
