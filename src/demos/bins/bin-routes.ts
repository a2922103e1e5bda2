import type { FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { rowsWithoutPage } from '../../config/limits.ts'
import { isForm } from '../../http/body/body-reader.ts'
import { conflict, HttpError } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { pageContent } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toBaseUrl, toOrigin } from '../../http/request/request-head.ts'
import { toLink } from '../../http/request/target.ts'
import { sendJson } from '../../http/response/send.ts'
import { setFlash, takeFlash } from '../../site/flash.ts'
import { sendPage } from '../../site/send-page.ts'
import { findOwnBins, setSecretCookie, type OpenedBin } from './access.ts'
import type { Bin } from './bin-store.ts'
import { toRow } from './captured-request.ts'
import { binContent, changeContent, newBinContent, removal, redirect } from './documentation.ts'
import { ofBin, sendRemoved, type BinServices } from './of-bin.ts'
import { parsePageList, selectRequests, takePart } from './list.ts'
import { parseBin } from './parse-bin.ts'
import { renderBinPage, renderBinsPage, type BinEdit } from './views.ts'

export function toBinRoutes(services: BinServices): Route[] {
  const routes = [getBins, postBin, getBin, patchBin, deleteBin]
  return routes.map((toRoute) => ({ file: import.meta.filename, ...toRoute(services) }))
}

const getBins = ({ bins, config }: BinServices): Route => ({
  method: 'GET',
  url: '/bins',
  summary: 'Get the page of your bins',
  content: pageContent,
  errors: [406],
  store: 'reads',
  handler: async (request, reply) => {
    chooseType(request, reply, ['text/html'])
    reply.header('cache-control', 'no-store')
    const own = await findOwnBins(bins, request)
    const view = { own, days: config.binDays, base: toBaseUrl(request) }
    return sendPage(reply, renderBinsPage({ ...view, flash: takeFlash(request, reply) }))
  },
})

const postBin = ({ bins, config }: BinServices): Route => ({
  method: 'POST',
  url: '/bins',
  summary: 'Create a bin',
  description:
    'The URL of the bin captures every request. With `Accept: text/html`, redirects to its page.',
  requestBody: { content: changeContent },
  responses: {
    201: {
      description: 'The bin, with its secret.',
      headers: responseHeaders('Location'),
      content: newBinContent,
    },
    303: redirect,
  },
  errors: [406],
  store: 'writes',
  config: { defaultType: 'json' },
  handler: async (request, reply) => {
    const hasPage = isPage(request, reply)
    const bin = await bins.create(parseBin(request, config))
    reply.header('cache-control', 'no-store').header('location', toPagePath(bin))
    if (!hasPage)
      return sendJson(reply.code(201), { ...binToJson(request, bin), secret: bin.secret })
    setSecretCookie(reply, bin)
    return reply.code(303).send()
  },
})

const getBin = ofBin({
  method: 'GET',
  summary: 'Get a bin',
  responses: {
    200: { description: 'The bin.', content: { ...pageContent, ...binContent } },
    303: redirect,
  },
  errors: [406],
  handle: (request, reply, services) =>
    isPage(request, reply)
      ? sendBinPage(reply, services, { flash: takeFlash(request, reply) })
      : sendJson(reply, binToJson(request, services.bin)),
})

async function sendBinPage(
  reply: FastifyReply,
  services: BinServices & { bin: OpenedBin },
  edit: BinEdit,
) {
  const { bin, events } = services
  const { list, isLive, parameters, searchProblem } = parsePageList(reply.request)
  if (searchProblem !== undefined) reply.code(400)
  // It is read before the list, so that the page misses no request.
  const lastEvent = await events.findLast()
  const part = list.part ?? { offset: 0, limit: rowsWithoutPage }
  const { selected } = await takePart(selectRequests(services, list), part, true)
  const search = { isLive, parameters, searchProblem }
  const view = {
    origin: toOrigin(reply.request),
    base: toBaseUrl(reply.request),
    exchanges: selected.map(toRow),
    ...search,
  }
  return sendPage(reply, renderBinPage(bin, { ...view, ...edit, lastEvent }))
}

const patchBin = ofBin({
  method: 'PATCH',
  summary: 'Change the response or the name of a bin',
  requestBody: { content: changeContent, required: true },
  responses: { 200: { description: 'The bin.', content: binContent }, 303: redirect },
  errors: [409],
  handle: async (request, reply, services) => {
    const { bin, bins, config } = services
    try {
      const changed = { ...bin, ...parseBin(request, config) }
      if (!(await bins.change(changed))) throw conflict('The bin was changed at the same time.')
      setFlash(request, reply, 'saved')
      if (isForm(request)) return await reply.redirect(toPagePath(bin), 303)
      return await sendJson(reply, binToJson(request, changed))
    } catch (error) {
      const { response } = isObject(request.body) ? request.body : {}
      if (!(error instanceof HttpError) || !isForm(request) || typeof response !== 'string')
        throw error
      const edit = { draft: response, problem: error.message }
      return sendBinPage(reply.code(error.status), services, edit)
    }
  },
})

const deleteBin = ofBin({
  method: 'DELETE',
  summary: 'Remove a bin',
  responses: removal,
  handle: async (request, reply, { bin, bins }) => {
    await bins.remove(bin.id)
    setSecretCookie(reply, { ...bin, expiresAt: new Date(0).toISOString(), secret: '' })
    return sendRemoved(request, reply, '/bins')
  },
})

const isPage = (request: FastifyRequest, reply: FastifyReply) =>
  chooseType(request, reply, ['application/json', 'text/html']) === 'text/html'

const toPagePath = ({ id }: Bin) => `/bins/${id}`

function binToJson(request: FastifyRequest, bin: Bin) {
  const { id, name, createdAt, expiresAt, response } = bin
  const origin = toOrigin(request)
  const urls = {
    url: `${origin}/b/${id}`,
    requestsUrl: origin + toLink(request.raw, `${toPagePath(bin)}/requests`),
  }
  const described: unknown = JSON.parse(response)
  return { id, ...(name !== '' && { name }), ...urls, createdAt, expiresAt, response: described }
}
