import { eventContent, lastEventId } from '../../events/send-events.ts'
import { notFound } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, pathParameter, text } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendJson } from '../../http/response/send.ts'
import { findField } from '../../exchanges/exchange.ts'
import { harContent, sendHar } from '../../exchanges/har.ts'
import { messageContent, messageType, sendMessages } from '../../exchanges/message-http.ts'
import { diffOperation, sendDiff } from '../../exchanges/send-diff.ts'
import { sendPage } from '../../site/send-page.ts'
import {
  requestToJson,
  toBack,
  toDecodedBody,
  requestToExchange,
  toShareUrl,
  toRequestPath,
} from './captured-request.ts'
import { exampleRequest, removal, requestContent, requestSchema } from './documentation.ts'
import { ofBin, sendRemoved, type BinServices } from './of-bin.ts'
import { requestFilters, parseRequestList, readPages, listedParameters, sendList } from './list.ts'
import type { RequestPages } from './search.ts'
import { filesToJson, readCapturedForm, sendAttachment } from './send-body.ts'
import { renderRequestPage } from './request-view.ts'

const path = '/requests/:n'
const requestParameter = pathParameter('n', 'The id of the request.', exampleRequest.id)
const attachment = {
  responses: { 200: { description: 'The bytes, as an attachment.', content: { '*/*': {} } } },
  errors: [412, 416],
} as const

export function toRequestRoutes(services: BinServices): Route[] {
  const routes = [getRequests, deleteRequests, getArchive, getDiff, getEvents]
  const ofOne = [getRequest, deleteRequest, getBody, getFile]
  const file = import.meta.filename
  return [...routes, ...ofOne].map((toRoute) => ({ file, ...toRoute(services) }))
}

const getRequests = ofBin({
  method: 'GET',
  path: '/requests',
  summary: 'List the captured requests, oldest first',
  description:
    'All that match the filters; after `wait` perhaps none. `<field>=` and `<field>:<operator>=` filter by every scalar field of a request, as in other lists: `status:gte=400`, `requestBody.size:gt=1000`.',
  parameters: listedParameters,
  content: {
    ...jsonContent({ type: 'array', items: requestSchema }, [exampleRequest]),
    'application/x-ndjson': { schema: text },
  },
  errors: [406],
  handle: sendList,
})

const deleteRequests = ofBin({
  method: 'DELETE',
  path: '/requests',
  summary: 'Remove the captured requests',
  description:
    'Those that match the filters, which can be those of the list, or all without a filter.',
  parameters: requestFilters,
  responses: removal,
  handle: async (request, reply, { bin, requests }) => {
    const { isMatch } = parseRequestList(request, [], requestFilters)
    await requests.removeAll(bin.id, isMatch)
    return sendRemoved(request, reply, `/bins/${bin.id}`)
  },
})

const getArchive = ofBin({
  method: 'GET',
  path: '/requests.har',
  summary: 'Export the captured requests as an HTTP Archive (HAR 1.2)',
  parameters: listedParameters,
  content: harContent,
  errors: [406],
  handle: async (request, reply, services) => {
    const found = await readPages(reply, services, parseRequestList(request))
    return sendHar(reply, toExchanges(found), { file: 'bin.har', comment: 'A longer body is cut.' })
  },
})

const getDiff = ofBin({
  ...diffOperation,
  method: 'GET',
  path: '/diff',
  summary: 'Compare two captured requests',
  errors: [406],
  handle: (request, reply, { bin, requests }) => {
    const load = async (id: string) => {
      const captured = await requests.find(bin.id, id)
      return { ...requestToExchange(captured), requestBody: await toDecodedBody(captured) }
    }
    const types = ['application/json', 'text/html']
    return sendDiff(request, reply, {
      load,
      toUrl: toRequestPath(bin.id),
      back: toBack(bin.id),
      types,
    })
  },
})

const getEvents = ofBin({
  method: 'GET',
  path: '/events',
  summary: 'Stream the captured requests',
  description:
    'Server-sent events. `created` has a request without its headers and body. `changed` has it again when a response that takes time has been sent, or if it was cut off. `deleted` has an id. `reset` means that requests are missing: list those after the id `after`. Filters select the requests.',
  parameters: [...requestFilters, lastEventId],
  content: eventContent(
    `event: created\nid: 1795341600001\ndata: {"id":"${exampleRequest.id}","method":"POST","path":"/"}\n\n`,
  ),
  errors: [406],
  handle: (request, reply, { bin, events }) => {
    const list = parseRequestList(request, ['rows', 'last_event_id'])
    return events.send(request, reply, { bin: bin.id, isMatch: list.isMatch })
  },
})

const getRequest = ofBin({
  method: 'GET',
  path,
  summary: 'Get a captured request',
  parameters: [requestParameter],
  content: { ...requestContent, ...pageContent, ...messageContent },
  errors: [406],
  handle: async (request, reply, services) => {
    const { bin, requests } = services
    const captured = await requests.find(bin.id, toPathParameter(request, 'n'))
    const type = chooseType(request, reply, ['application/json', 'text/html', messageType])
    if (type === messageType) return sendMessages(reply, requestToExchange(captured))
    const json = requestToJson(captured)
    const shareUrl = toShareUrl(toOrigin(request), bin, captured.id)
    const { fields, ...form } = await readCapturedForm(services, captured)
    const files = filesToJson(json.url, form.files)
    return type === 'text/html'
      ? sendPage(
          reply,
          renderRequestPage(bin, captured, {
            fields,
            files,
            shareUrl,
            decodedBody: await toDecodedBody(captured),
          }),
        )
      : sendJson(reply, { ...json, fields, files, ...(bin.secret !== '' && { shareUrl }) })
  },
})

const deleteRequest = ofBin({
  method: 'DELETE',
  path,
  summary: 'Remove a captured request',
  parameters: [requestParameter],
  responses: removal,
  handle: async (request, reply, { bin, requests }) => {
    await requests.remove(bin.id, toPathParameter(request, 'n'))
    return sendRemoved(request, reply, `/bins/${bin.id}`)
  },
})

const getBody = ofBin({
  method: 'GET',
  path: `${path}/body`,
  summary: 'Download the body of a captured request',
  parameters: [requestParameter],
  ...attachment,
  handle: async (request, reply, { bin, requests }) => {
    const captured = await requests.find(bin.id, toPathParameter(request, 'n'))
    const bytes = await requests.readBody(captured)
    const type = findField(captured.requestFields, 'content-type')
    return sendAttachment(request, reply, { name: `${captured.id}.bin`, type, bytes })
  },
})

const getFile = ofBin({
  method: 'GET',
  path: `${path}/files/:k`,
  summary: 'Download a file of a captured form',
  parameters: [requestParameter, pathParameter('k', 'The number of the file.', '1')],
  ...attachment,
  handle: async (request, reply, services) => {
    const captured = await services.requests.find(services.bin.id, toPathParameter(request, 'n'))
    const number = toPathParameter(request, 'k')
    const { files } = await readCapturedForm(services, captured)
    const file = files.find((_, index) => String(index + 1) === number)
    if (file === undefined) throw notFound(`The request has no file ${number}.`)
    return sendAttachment(request, reply, file)
  },
})

async function* toExchanges(pages: RequestPages) {
  for await (const page of pages) yield page.map(requestToExchange)
}
