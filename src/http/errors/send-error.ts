import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapePointer } from '../body/patch.ts'
import { protectiveHeaders } from '../response/default-headers.ts'
import { negotiate } from '../negotiation/negotiate.ts'
import type { Schema } from '../openapi/operation.ts'
import { hasCode } from '../../config/has-code.ts'
import { badRequest, notImplemented, HttpError } from './http-error.ts'
import { recordExtras } from '../recording.ts'
import { findOrigin, toRequestUri } from '../request/request-head.ts'
import { sendText } from '../response/send.ts'
import { isUnder } from '../request/target.ts'

const ofRepresentation =
  /^(accept-ranges|content-(digest|disposition|encoding|length|location|range)|etag|last-modified|link|preference-applied|repr-digest|x-total-count)$/

export interface ErrorShape {
  name: string
  under: string
  schema: Schema
  toJson: (error: HttpError) => unknown
}

export function createErrorSender(
  shapes: readonly ErrorShape[],
  renderPage: (error: HttpError, reply: FastifyReply) => string,
) {
  return (cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = toHttpError(cause, request)
    if (error.problem !== undefined) recordExtras(request.raw, { problem: error.problem })
    if (error.status > 500) reply.raw.failure = error.message
    for (const name of Object.keys(reply.getHeaders())) {
      if (ofRepresentation.test(name)) reply.removeHeader(name)
    }
    reply.code(error.status).headers(protectiveHeaders)
    reply.header('cache-control', 'no-store').headers(error.headers)
    const shape = shapes.find(({ under }) => isUnder(under, request.url))
    if (shape) return reply.send(shape.toJson(error))
    const form = chooseErrorForm(request, reply, error.isJson)
    if (form === 'json') {
      return reply.type('application/problem+json').send(JSON.stringify(toDetails(error, request)))
    }
    if (form === 'text' || hasNoPage(error)) return sendText(reply, `${error.message}\n`)
    return reply.type('text/html; charset=utf-8').send(renderPage(error, reply))
  }
}

/** The styles and links of a page are not served to this host, or to this client. */
const hasNoPage = ({ status, problem }: HttpError) => status === 421 || problem === 'blocked-client'

function toDetails(error: HttpError, request: FastifyRequest): object {
  const { problem, status, title, message, fields, members } = error
  const errors = fields.map(({ field, inside = [], message: detail }) => {
    // RFC 6901 §3, §6: a JSON Pointer as a URI fragment.
    const names = field === '' ? [] : [field, ...inside]
    const path = names.map((name) => `/${encodeURIComponent(escapePointer(name))}`)
    return { detail, pointer: `#${path.join('')}` }
  })
  const origin = status === 421 ? '' : (findOrigin(request) ?? '')
  return {
    type: problem === undefined ? 'about:blank' : `${origin}/problems/${problem}`,
    title,
    status,
    detail: message,
    instance: toRequestUri(request.id),
    ...(errors.length > 0 && { errors }),
    ...members,
  }
}

export function chooseErrorForm(
  request: FastifyRequest,
  reply: FastifyReply,
  isJson = request.routeOptions.config.defaultType === 'json',
): 'html' | 'json' | 'text' {
  const jsonTypes = ['application/problem+json', 'application/json']
  const offers = isJson
    ? [...jsonTypes, 'text/html', 'text/plain']
    : ['text/plain', 'text/html', ...jsonTypes]
  // The type of the URL, which Accept does not change.
  const { mediaType: ofUrl } = request.routeOptions.config
  const { negotiation } = request
  const mediaType = ofUrl ?? negotiate(request, reply, offers) ?? offers[0]
  // The offers that were not acceptable explain a 406, not those of the error.
  if (reply.statusCode === 406) request.negotiation = negotiation
  else if (request.negotiation !== undefined) {
    const sent = request.negotiation.offers.filter((offer) => offer !== 'application/json')
    request.negotiation = { ...request.negotiation, offers: sent }
  }
  if (mediaType === 'text/html') return 'html'
  return mediaType?.includes('json') === true ? 'json' : 'text'
}

/** What is no error of HTTP is a fault, which is logged. */
export function toHttpError(error: unknown, request: FastifyRequest): HttpError {
  if (error instanceof HttpError) return error
  if (isUnrouted(error)) return notImplemented(`The method ${request.method} is not implemented.`)
  if (hasCode(error, 'FST_ERR_BAD_URL')) {
    return badRequest('The path has an invalid percent-encoding.', error)
  }
  if (hasCode(error, 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE')) {
    return badRequest(`A ${request.method} request needs a Content-Type header.`, error)
  }
  if (error instanceof Error && 'statusCode' in error) {
    const status = Number(error.statusCode)
    if (status >= 400 && status < 500) return new HttpError(status, error.message, { cause: error })
  }
  request.server.log.error({ reqId: request.id, err: error }, 'fault')
  return new HttpError('internal-error', `The service failed. The request id is ${request.id}.`)
}

/** Fastify runs no hook for a method that only HTTP/2 accepts. */
export function isUnrouted(error: unknown): error is Error & { code: string } {
  return hasCode(error, 'FST_ERR_NOT_FOUND')
}
