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
    /** The type without a preference of the client; errors use it too. Text when unset. */
    defaultType?: 'json' | 'html' | 'text'
  }
}

const representationHeaders = [
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

export interface ErrorShape {
  under: string
  schema: Schema
  toJson: (error: HttpError) => unknown
}

export type ErrorPage = (error: HttpError, requestId: string) => string

export function createErrorSender(shapes: readonly ErrorShape[], renderPage: ErrorPage) {
  return (cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = toHttpError(cause, request)
    for (const name of representationHeaders) reply.removeHeader(name)
    reply.code(error.status).headers(protectiveHeaders)
    reply.header('cache-control', 'no-store').headers(error.headers)
    const shape = shapes.find(({ under }) => isUnder(under, request.url))
    if (shape) return reply.send(shape.toJson(error))
    const form = findErrorForm(request, reply, error.isJson)
    // The styles and links of a page would be requested from the host that is not served.
    switch (form === 'html' && error.status === 421 ? 'text' : form) {
      case 'html':
        return reply.type('text/html; charset=utf-8').send(renderPage(error, request.id))
      case 'json':
        return reply
          .type('application/problem+json')
          .send(JSON.stringify(toProblem(error, request)))
      case 'text':
        return sendText(reply, `${error.message}\n`)
    }
  }
}

const jsonTypes = ['application/problem+json', 'application/json'] as const

/** The format that the client prefers for an error, by default that of the route. */
export function findErrorForm(
  request: FastifyRequest,
  reply: FastifyReply,
  isJson = request.routeOptions.config.defaultType === 'json',
): 'html' | 'json' | 'text' {
  const { mediaType } = request.routeOptions.config
  if (mediaType !== undefined) return formsByType[mediaType] ?? 'text'
  const textTypes = ['text/plain', 'text/html'] as const
  const offers = isJson ? [...jsonTypes, ...textTypes.toReversed()] : [...textTypes, ...jsonTypes]
  const type = negotiate(request, reply, offers) ?? offers[0] ?? ''
  return type.startsWith('text/') ? (formsByType[type] ?? 'text') : 'json'
}

const formsByType: Readonly<Record<string, 'html' | 'json'>> = {
  'text/html': 'html',
  'application/json': 'json',
  'application/x-ndjson': 'json',
}

function toHttpError(error: unknown, request: FastifyRequest): HttpError {
  if (error instanceof HttpError) return error
  if (isUnrouted(error)) {
    return notImplemented(`The method ${request.method} is not implemented.`)
  }
  if (error instanceof Error && 'statusCode' in error) {
    const { statusCode, message } = error
    // Fastify and its plugins write the messages of their 4xx for the client.
    if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
      return new HttpError(statusCode, message, { cause: error })
    }
  }
  request.server.log.error({ reqId: request.id, err: error }, 'fault')
  return new HttpError('internal-error', `The service failed. The request id is ${request.id}.`)
}

/** For a method that only HTTP/2 accepts: Fastify runs no hook for it. */
export function isUnrouted(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_NOT_FOUND'
}

export function toFrameworkError(error: { code: string }): unknown {
  return error.code === 'FST_ERR_BAD_URL'
    ? badRequest('The path has an invalid percent-encoding.', error)
    : error
}
