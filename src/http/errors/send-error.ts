import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { protectiveHeaders } from '../response/default-headers.ts'
import { negotiate } from '../negotiation/negotiate.ts'
import type { Schema } from '../openapi/operation.ts'
import { toProblem } from './problem-details.ts'
import { badRequest, notImplemented, HttpError } from './http-error.ts'
import { sendText } from '../response/send.ts'
import { isUnder } from '../request/target.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a client that has no preference gets; refusals follow it. Text when unset. */
    defaultType?: 'json' | 'html' | 'text'
  }
}

/** What may already have been said of the representation that now is not sent. */
const representationFields = [
  'accept-ranges',
  'content-digest',
  'content-disposition',
  'content-length',
  'content-location',
  'content-range',
  'etag',
  'last-modified',
  'link',
  'preference-applied',
  'repr-digest',
  'x-total-count',
] as const

/** A part of the service that shapes the bodies of its refusals itself. */
export interface ErrorShape {
  /** The path under which all refusals have it. */
  under: string
  /** Of the bodies, for the document of the service. */
  schema: Schema
  toJson: (refusal: HttpError) => unknown
}

/** The page of an error, as HTML. */
export type ErrorPage = (error: HttpError, requestId: string) => string

/** Renders every error: problem details, a page or a line of text. */
export function createErrorSender(shapes: readonly ErrorShape[], renderPage: ErrorPage) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = toHttpError(error, request)
    for (const field of representationFields) reply.removeHeader(field)
    reply.code(refusal.status).headers(protectiveHeaders)
    reply.header('cache-control', 'no-store').headers(refusal.headers)
    const shape = shapes.find(({ under }) => isUnder(under, request.url))
    if (shape) return reply.send(shape.toJson(refusal))
    switch (findErrorForm(request, reply, refusal.isJson)) {
      case 'html':
        return reply.type('text/html; charset=utf-8').send(renderPage(refusal, request.id))
      case 'json':
        // Serialized here: a route's own schema for its answers does not fit its refusals.
        return reply
          .type('application/problem+json')
          .send(JSON.stringify(toProblem(refusal, request)))
      case 'text':
        return sendText(reply, `${refusal.message}\n`)
    }
  }
}

/**
 * The form in which this client wants a refusal: what it asks for, else what fits the route's
 * default answer (a page asked for by nobody is a line of text).
 */
export function findErrorForm(
  request: FastifyRequest,
  reply: FastifyReply,
  isJson = request.routeOptions.config.defaultType === 'json',
): 'html' | 'json' | 'text' {
  const { mediaType } = request.routeOptions.config
  if (mediaType !== undefined) return formOfSuffix[mediaType] ?? 'text'
  const json = ['application/problem+json', 'application/json'] as const
  const offers = isJson
    ? ([...json, 'text/html', 'text/plain'] as const)
    : (['text/plain', 'text/html', ...json] as const)
  switch (negotiate(request, reply, offers) ?? offers[0]) {
    case 'text/html':
      return 'html'
    case 'text/plain':
      return 'text'
    default:
      return 'json'
  }
}

/** Where the address names a media type, it chooses for refusals too. */
const formOfSuffix: Readonly<Record<string, 'html' | 'json'>> = {
  'text/html': 'html',
  'application/json': 'json',
  'application/x-ndjson': 'json',
}

function toHttpError(error: unknown, request: FastifyRequest): HttpError {
  if (error instanceof HttpError) return error
  if (isUnrouted(error)) return notImplemented(request.method)
  if (error instanceof Error && 'statusCode' in error) {
    const { statusCode, message } = error
    // Fastify and its plugins refuse with a 4xx of their own, written for the client.
    if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
      return new HttpError(statusCode, message, { cause: error })
    }
  }
  request.server.log.error({ reqId: request.id, err: error }, 'fault')
  return new HttpError(500, `Something is broken here. The log has more under ${request.id}.`)
}

/** Of a method that only HTTP/2 lets through: Fastify has no route for it, and runs no hook. */
export function isUnrouted(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_NOT_FOUND'
}

/** For what Fastify cannot even route: a path whose percent-encoding is not UTF-8. */
export function toFrameworkError(error: { code: string }): unknown {
  return error.code === 'FST_ERR_BAD_URL'
    ? badRequest('The path holds a percent-encoding that cannot be read.', error)
    : error
}
