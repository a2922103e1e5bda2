import { html, type Html } from '../html.ts'
import { page } from '../page.ts'
import type { ProblemType } from '../../http/errors/problem-types.ts'
import { toReasonPhrase } from '../../http/errors/http-error.ts'

/** A kind of problem as its page shows it. */
export interface Problem extends ProblemType {
  /** The address of its page, which is the `type` of such refusals. */
  type: string
}

export function problemsPage(problems: readonly Problem[]): Html {
  const isOfRequest = ({ status }: Problem) => status < 500
  return page({
    title: 'Problems',
    main: html`<p class="lead">What each kind of refusal means, and how to put the request right.</p>
<p>A refusal in JSON (RFC 9457) names its kind in <code>type</code>, which is the address of one of these pages.</p>
<h2>The request has to change</h2>
${problemList(problems.filter(isOfRequest))}
<h2>The service cannot</h2>
${problemList(problems.filter((problem) => !isOfRequest(problem)))}`,
  })
}

function problemList(problems: readonly Problem[]): Html {
  return html`<ul class="problems">
${problems.map(problemItem)}</ul>`
}

function problemItem({ type, status, title, meaning }: Problem): Html {
  const path = type.slice(type.indexOf('/problems/'))
  return html`<li><span class="status">${status}</span> <div><a href="${path}">${title}</a>
<p>${meaning}</p></div></li>
`
}

export function problemPage({ type, status, title, meaning, remedy, example }: Problem): Html {
  return page({
    title,
    main: html`<nav class="back" aria-label="Breadcrumb"><a href="/problems">All problems</a></nav>
<p class="lead">${meaning}</p>
<h2>What to do</h2>
<p>${remedy}</p>
${example === undefined ? '' : html`<figure class="command"><figcaption>An example that goes right</figcaption><pre tabindex="0"><code>${example}</code></pre></figure>\n`}<h2>How to tell it</h2>
<dl>
<dt>Status</dt><dd>${status} ${toReasonPhrase(status) ?? ''}</dd>
<dt>Type, in JSON</dt><dd><code>${type}</code></dd>
</dl>`,
  })
}
