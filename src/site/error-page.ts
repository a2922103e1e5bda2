import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'
import { renderPage } from './page.ts'
import { problemTypes } from '../http/errors/problem-types.ts'
import type { HttpError } from '../http/errors/http-error.ts'
import { STATUS_CODES } from '../http/node-http.ts'

export function renderErrorPage(error: HttpError, reply: FastifyReply): string {
  const { status, title, message, problem, headers } = error
  // A Fastify plugin may respond with any status.
  const remedy = problem ? problemTypes[problem].remedy : 'Correct the request, and send it again.'
  const { allow, 'retry-after': seconds } = headers
  const page = {
    title,
    main: html`<p class="lead">${message}</p>
<h2>What to do</h2>
<p>${remedy}</p>
<p class="actions"><a class="button" href="/">All demos</a>${problem ? html` <a href="/problems/${problem}">About this problem</a>` : ''}</p>
<dl>
${renderFact('Status', `${String(status)} ${STATUS_CODES[status] ?? ''}`)}${allow === undefined ? '' : renderFact('Allowed methods', allow)}${seconds === undefined ? '' : renderFact('Retry after', `${seconds} s`)}${status < 500 ? '' : renderFact('Request id', html`<code>${reply.request.id}</code>`)}</dl>`,
  }
  return renderPage(reply, page)
}

function renderFact(label: string, value: string | Html): Html {
  return html`<dt>${label}</dt><dd>${value}</dd>\n`
}
