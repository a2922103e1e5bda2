import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpError } from '../http/errors/http-error.ts'
import { negotiate } from '../http/negotiation/negotiate.ts'
import { pageContent } from '../http/openapi/content.ts'
import type { Content } from '../http/openapi/operation.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { toContentType } from '../http/response/send.ts'
import type { Demo } from './demo.ts'
import { renderErrorPage } from './error-page.ts'
import type { Html } from './html.ts'
import type { Navigation } from './navigation.ts'
import { renderPage, type Page } from './page.ts'
import { renderResponsePage } from './response-page.ts'

declare module 'fastify' {
  interface FastifyInstance {
    navigation: Navigation
    footer: Html
    sandboxLifetime: string
  }
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(renderPage(reply, page))
}

export function renderError(error: HttpError, reply: FastifyReply): string {
  const { id, headers } = reply.request
  const { origin, pathname = '', search = '' } = URL.parse(headers.referer ?? '') ?? {}
  const isOwn = origin !== undefined && origin === toOrigin(reply.request)
  return renderPage(
    reply,
    renderErrorPage(error, id, isOwn ? origin + pathname + search : undefined),
  )
}

/** Longer bodies are sent as they are: indented, deep JSON would take 60 times its length. */
const shownLength = 16_384

export function sendForReader(
  request: FastifyRequest,
  reply: FastifyReply,
  response: { demo: Pick<Demo, 'name' | 'title'>; body: string; isJson?: boolean },
): FastifyReply {
  const { demo, body, isJson = false } = response
  const mediaType = isJson ? 'application/json' : 'text/plain'
  // No cache stores the response of a POST, so its Vary need not name Accept.
  const hasNoAccept = request.method === 'POST' && request.headers.accept === undefined
  const isPlain = hasNoAccept || body.length > shownLength
  const chosen = isPlain ? mediaType : negotiate(request, reply, [mediaType, 'text/html'])
  if (chosen !== 'text/html') return reply.type(toContentType(mediaType)).send(body)
  return sendPage(reply, renderResponsePage(reply.statusCode, demo, { body, mediaType }))
}

export function forReader(content: Content): Content {
  return { ...content, ...pageContent }
}
