import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasBody } from '../../http/body/body-reader.ts'
import { readStart } from '../../http/body/read-bytes.ts'
import { contentTooLarge, notFound, readOnly } from '../../http/errors/http-error.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toRawRequest } from '../../http/request/raw-request.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { ownCookies, withoutCookies } from '../../http/security/visitor-response.ts'
import { sendDescribed } from '../../responses/send.ts'
import type { Services } from '../../site/demo.ts'
import { isBinCookie } from './access.ts'
import { withoutSecrets } from './bin-ids.ts'
import type { BinStore } from './bin-store.ts'
import { binParameter } from './documentation.ts'
import type { RequestStore } from './request-store.ts'
import { chooseResponse } from './respond.ts'

export interface BinServices extends Services {
  bins: BinStore
  requests: RequestStore
}

export function captureRoutes(services: BinServices, method: readonly string[]): Route[] {
  const anyContent = { '*/*': {} }
  const route: Omit<Route, 'url'> = {
    method: [...method],
    summary: 'Capture a request',
    description: 'Any method, and any path below. The bin defines the response.',
    parameters: [binParameter],
    responses: {
      '2XX': { description: 'The response of the bin.', content: anyContent },
      default: { description: 'Or any other response.', content: anyContent },
    },
    errors: [403, 404, 410],
    store: 'writes',
    handler: captureRequest(services),
  }
  return [
    { ...route, url: '/b/:id' },
    { ...route, url: '/b/:id/*' },
  ]
}

/** Stores the request, then sends the response of the bin. */
function captureRequest(services: BinServices) {
  const { bins, config, requests, states } = services
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const begin = performance.now()
    reply.header('access-control-allow-origin', '*').header('cache-control', 'no-store')
    // Any method stores something.
    if (config.readOnly) throw readOnly()
    const bin = await bins.find(toPathParameter(request, 'id'))
    const maxBodyBytes = config.binMaxBodyBytes
    const body = await readBody(request, { ...config, maxBodyBytes })
    const isTooLarge = body?.isCut === true
    const ms = Number((performance.now() - begin).toFixed(3))
    const response = isTooLarge ? { status: 413 } : await chooseResponse(request, bin, states)
    const { status = 200 } = response
    const content = { ...toContent(request), status, ms, ...(isTooLarge && { isTooLarge }) }
    const isStored = await requests.capture({ bin: bin.id, request: content, body })
    if (!isStored) throw notFound(`There is no bin with the id ${bin.id}.`)
    if (!isTooLarge) return sendDescribed(reply, response, { config, cookiePath: `/b/${bin.id}` })
    const limit = maxBodyBytes.toLocaleString('en')
    throw contentTooLarge(`The body is larger than ${limit} bytes (BIN_MAX_BODY_BYTES).`)
  }
}

async function readBody({ raw }: FastifyRequest, limits: Parameters<typeof readStart>[1]) {
  if (!hasBody(raw)) return undefined
  const { bytes, isCut } = await readStart(raw, limits)
  const announced = Number(raw.headers['content-length'] ?? 0)
  return { bytes, isCut, size: isCut ? Math.max(announced, bytes.length) : bytes.length }
}

function toContent(request: FastifyRequest) {
  const { method, target, headers } = toRawRequest(request)
  const cookies = Object.keys(parseCookie(request.headers.cookie ?? ''))
  const own = [...ownCookies, ...cookies.filter(isBinCookie)]
  const [, rest = ''] = /^\/[^/?]*\/[^/?]*(.*)$/s.exec(request.raw.target?.url ?? '') ?? []
  return {
    method,
    target: withoutSecrets(target),
    path: withoutSecrets(rest.startsWith('/') ? rest : `/${rest}`),
    httpVersion: request.raw.httpVersion,
    origin: toOrigin(request),
    client: request.ip,
    requestFields: withoutCookies(headers, own)
      .filter(([name]) => name.toLowerCase() !== 'x-inspector')
      .map(([name, value]): [string, string] => [name, withoutSecrets(value)]),
  }
}
