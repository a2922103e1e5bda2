import { problemTypes } from '../http/errors/problem-types.ts'
import type { HttpError } from '../http/errors/http-error.ts'
import { html, type Html } from './html.ts'
import { renderStatus, type Page } from './page.ts'

export function renderErrorPage(error: HttpError, requestId: string, previous?: string): Page {
  const { status, title, message, problem, headers, links } = error
  // A Fastify plugin may respond with any status.
  const remedy = problem ? problemTypes[problem].remedy : 'Correct the request, and send it again.'
  const { allow, 'retry-after': seconds } = headers
  const facts = [
    ...(allow === undefined ? [] : [renderFact('Allowed methods', allow)]),
    ...(seconds === undefined ? [] : [renderFact('Retry after', `${seconds} s`)]),
    ...(status < 500 ? [] : [renderFact('Request id', html`<code>${requestId}</code>`)]),
  ]
  return {
    title,
    back: error.back,
    main: html`<p>${renderStatus(status)}</p>
<p class="lead">${message}</p>
${links.length === 0 ? '' : html`<ul>\n${links.map(([url, text]) => html`<li><a href="${url}">${text}</a></li>\n`)}</ul>\n`}<h2>What to do</h2>
<p>${remedy}</p>
${facts.length === 0 ? '' : html`<dl>\n${facts}</dl>\n`}<p class="actions">${renderWayBack(error.back, previous)}${problem ? html` <a href="/problems/${problem}">About this problem</a>` : ''}</p>`,
  }
}

function renderWayBack(back: HttpError['back'], previous?: string): Html {
  const links = [
    ...(back ? [back] : []),
    ...(previous === undefined ? [] : [[previous, 'Back to the previous page'] as const]),
    ['/', 'All demos'] as const,
  ]
  return html`${links.map(([url, text], index) => html`${index > 0 ? ' ' : ''}<a${index > 0 ? '' : html` class="button"`} href="${url}">${text}</a>`)}`
}

function renderFact(label: string, value: string | Html): Html {
  return html`<dt>${label}</dt><dd>${value}</dd>\n`
}
