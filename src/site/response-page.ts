import type { FastifyReply, FastifyRequest } from 'fastify'
import { negotiate } from '../http/negotiation/negotiate.ts'
import { pageContent } from '../http/openapi/content.ts'
import type { Content } from '../http/openapi/operation.ts'
import { toContentType } from '../http/response/send.ts'
import { STATUS_CODES } from '../http/node-http.ts'
import type { Demo } from './demo.ts'
import { codeBlock } from './highlight.ts'
import { html } from './html.ts'
import { sendPage } from './page.ts'
import { toStatusNote } from './status-note.ts'

/** Longer bodies are sent as they are: indented, deep JSON would take 60 times its length. */
const shownLength = 16_384

/** Sends the body as it is, or on a page with a way back if the client prefers HTML, as browsers do. */
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
  const { statusCode } = reply
  const shown = isJson ? JSON.stringify(JSON.parse(body), undefined, 2) : body
  return sendPage(reply, {
    title: `${String(statusCode)} ${STATUS_CODES[statusCode] ?? ''}`.trim(),
    description: `A response of the demo ${demo.title}.`,
    main: html`<p class="lead">${toStatusNote(statusCode)}</p>
<p>As <code>${mediaType}</code>, the body is${shown === '' ? ' empty.' : ':'}</p>
${shown === '' ? '' : isJson ? codeBlock(shown, 'json') : html`<pre tabindex="0"><code dir="auto">${shown}</code></pre>`}<p class="actions"><a class="button" href="/demos/${demo.name}">Back to ${demo.title}</a></p>`,
  })
}

export function forReader(content: Content): Content {
  return { ...content, ...pageContent }
}
