import { html, type Html } from '../html.ts'
import { renderCommand } from '../highlight.ts'
import { type Page, renderStatus } from '../page.ts'
import type { ProblemType } from '../../http/errors/problem-types.ts'

export type DocumentedProblem = Omit<ProblemType, 'headers'> & { type: string }

export function renderProblems(problems: readonly DocumentedProblem[]): Page {
  const list = (isServerError: boolean) => html`<ul class="problems">
${problems.filter(({ status }) => status >= 500 === isServerError).map(renderProblemItem)}</ul>`
  return {
    title: 'Problems',
    description: 'What each error means, and how to fix the request.',
    styles: ['learn.css'],
    main: html`<p class="lead">Each page explains an error and how to fix the request. In problem details (RFC 9457),
<code>type</code> is the URL of one of these pages.</p>
<h2>Client errors</h2>
${list(false)}
<h2>Server errors</h2>
${list(true)}`,
  }
}

function renderProblemItem({ type, status, title, meaning }: DocumentedProblem): Html {
  const path = type.slice(type.indexOf('/problems/'))
  return html`<li><span class="status s${String(status).charAt(0)}">${status}</span> <div><a href="${path}">${title}</a>
<p>${meaning}</p></div></li>
`
}

export function renderProblem({
  type,
  status,
  title,
  meaning,
  remedy,
  example,
}: DocumentedProblem): Page {
  return {
    title,
    description: meaning,
    back: ['/problems', 'All problems'],
    main: html`<p>${renderStatus(status)}</p>
<p class="lead">${meaning}</p>
<h2>What to do</h2>
<p>${remedy}</p>
${example === undefined ? '' : renderCommand(`Example${example.includes('URL') ? '. Replace URL with the URL of your request.' : ''}`, example)}<h2>How to recognize it</h2>
<dl>
<dt>Status</dt><dd><code>${status}</code></dd>
<dt>Type</dt><dd><code>${type}</code></dd>
</dl>`,
  }
}
