import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'
import { renderPage, renderStatus } from './page.ts'
import { problemTypes } from '../http/errors/problem-types.ts'
import type { HttpError } from '../http/errors/http-error.ts'
import { toOrigin } from '../http/request/request-head.ts'

export function renderErrorPage(error: HttpError, reply: FastifyReply): string {
  const { status, title, message, problem, headers } = error
  // A Fastify plugin may respond with any status.
  const remedy = problem ? problemTypes[problem].remedy : 'Correct the request, and send it again.'
  const { allow, 'retry-after': seconds } = headers
  const facts = [
    ...(allow === undefined ? [] : [renderFact('Allowed methods', allow)]),
    ...(seconds === undefined ? [] : [renderFact('Retry after', `${seconds} s`)]),
    ...(status < 500 ? [] : [renderFact('Request id', html`<code>${reply.request.id}</code>`)]),
  ]
  const page = {
    title,
    back: error.back,
    main: html`<p>${renderStatus(status)}</p>
<p class="lead">${message}</p>
<h2>What to do</h2>
<p>${remedy}</p>
${facts.length === 0 ? '' : html`<dl>\n${facts}</dl>\n`}<p class="actions">${renderWayBack(reply)}${problem ? html` <a href="/problems/${problem}">About this problem</a>` : ''}</p>`,
  }
  return renderPage(reply, page)
}

function renderWayBack({ request }: FastifyReply): Html {
  const { origin, pathname = '', search = '' } = URL.parse(request.headers.referer ?? '') ?? {}
  return origin !== undefined && origin === toOrigin(request)
    ? html`<a class="button" href="${origin}${pathname}${search}">Back to the previous page</a> <a href="/">All demos</a>`
    : html`<a class="button" href="/">All demos</a>`
}

function renderFact(label: string, value: string | Html): Html {
  return html`<dt>${label}</dt><dd>${value}</dd>\n`
}
