import { html } from './html.ts'
import { page } from './page.ts'
import { problemTypes } from '../http/errors/problem-types.ts'
import { toReasonPhrase, type HttpError } from '../http/errors/http-error.ts'

/** A refusal for a person: what happened, what to do, and where to go on. A fault names its request. */
export function renderErrorPage(refusal: HttpError, requestId: string): string {
  const { status, title, message, problem, headers } = refusal
  const { meaning, remedy } = problem ? problemTypes[problem] : unknownProblem
  return page({
    title,
    main: html`<p class="lead">${message}</p>
<p>${meaning}</p>
<h2>What to do</h2>
<p>${remedy}</p>
<p class="actions"><a class="button" href="/">To the rooms</a>${problem ? html` <a href="/problems/${problem}">More about this problem</a>` : ''}</p>
<dl>
<dt>Status</dt><dd>${status} ${toReasonPhrase(status) ?? ''}</dd>
${toFacts(headers).map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>\n`)}${status < 500 ? '' : html`<dt>Request id</dt><dd><code>${requestId}</code></dd>\n`}</dl>`,
  }).markup
}

/** A plugin may refuse with any status. */
const unknownProblem = {
  meaning: 'The request cannot be handled as it is.',
  remedy: 'Change what the sentence above names, and send the request again.',
}

/** What the headers of the refusal say that a person may want to know. */
function toFacts(headers: HttpError['headers']): [label: string, value: string][] {
  const { allow, 'retry-after': seconds } = headers
  return [
    ...(allow === undefined ? [] : [['Methods there are', allow] as [string, string]]),
    ...(seconds === undefined ? [] : [['Try again after', `${seconds} s`] as [string, string]]),
  ]
}
