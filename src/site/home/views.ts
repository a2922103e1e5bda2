import type { Config } from '../../config/config.ts'
import { demoGroups, toDemoPath, type Demo } from '../demo.ts'
import { renderCommand } from '../highlight.ts'
import { html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { type SampleRequest, toTarget } from '../sample-request.ts'

const inspectorLink = html`<a href="/inspector">request inspector</a>`
const inspectorSentences = {
  all: html` The ${inspectorLink} shows the requests of all clients as they end.`,
  own: html` The ${inspectorLink} shows your requests as they end.`,
  off: '',
}

export function renderHomePage(demos: readonly Demo[], inspector: Config['inspector']): Page {
  return {
    title: 'Vitrine',
    heading: 'Send a request, see the exchange',
    description:
      'Send HTTP requests from the browser, curl or your own client, and see every header of the request and the response.',
    styles: ['demo.css', 'home.css'],
    scripts: ['send.js'],
    main: html`<p class="lead">New to HTTP? Start with the <a href="/learn">lessons</a>. Send requests from this page, with curl or with your own client.${inspectorSentences[inspector]}</p>
${renderComposer(demos)}${[...demoGroups, undefined].map((group) =>
      renderGroup(
        group ?? 'Others',
        demos.filter((demo) => demo.group === group),
      ),
    )}<p class="quiet">The <a href="/docs">documentation</a> describes every route. <a href="/problems">Problems</a>
explains every error.</p>`,
  }
}

const types = ['*/*', 'text/html', 'application/json', 'text/plain', 'text/csv']
const bodyTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']
const headerNames = [
  ...['Accept-Language', 'Authorization', 'Cache-Control', 'Content-Language', 'Idempotency-Key'],
  ...['If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Range', 'Prefer', 'Range'],
]
const headerValues = ['bytes=0-99', 'de', 'no-cache', 'return=minimal', '"1"', '*']
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function renderComposer(demos: readonly Demo[]): Html {
  const chips = demos.flatMap((demo) =>
    (demo.samples ?? []).flatMap((sample) => (sample.featured ? renderChip(demo, sample) : [])),
  )
  if (chips.length === 0) return html``
  return html`<section class="composer" aria-labelledby="composer">
<h2 id="composer" class="unseen">Send a request</h2>
<form class="scripted" data-request="{}">
<div class="request-line"><p><label for="method">Method</label> <select id="method" data-in="method">${toOptions(methods)}</select></p>
<p class="target"><label for="target">Path, or a curl command to paste</label> <input type="text" id="target" data-in="target" value="/" required autocomplete="off" spellcheck="false" autocapitalize="none"></p>
<p><label for="accept">Accept</label> <select id="accept" data-in="header" data-name="Accept">${toOptions(types)}</select></p>
<button type="submit">Send</button></div>
<div data-part="body" hidden><p><label for="body-type">Content-Type</label> <select id="body-type" data-in="type">${toOptions(bodyTypes)}</select></p>
<p><label for="body">Body</label> <textarea id="body" data-in="body" rows="4" spellcheck="false"></textarea></p></div>
<div class="more"><details><summary>Headers</summary><div data-part="headers"></div><p class="quiet" role="status" data-part="forbidden"></p></details>
<details><summary>curl</summary>${renderCommand('This request', '')}</details>
<details hidden><summary>History</summary><ul class="chips" data-part="history"></ul></details></div>
<datalist id="names">${toOptions(headerNames)}</datalist>
<datalist id="values">${toOptions(headerValues)}</datalist>
</form>
<ul class="chips" aria-label="Requests to try">
${chips}</ul>
<div class="result"></div>
</section>
`
}

function toOptions(values: readonly string[]): Html {
  return html`${values.map((value) => html`<option>${value}</option>`)}`
}

function renderChip({ name }: Demo, sample: SampleRequest): Html {
  const { method, fields, accept = '*/*', featured = '' } = sample
  const target = toTarget(sample)
  const form = method === 'GET' ? '' : new URLSearchParams(fields).toString()
  const body = sample.body ?? { type: 'application/x-www-form-urlencoded', text: form }
  return html`<li><a href="${method === 'GET' ? target : toDemoPath(name)}" data-method="${method}" data-target="${target}" data-header="${accept}" data-type="${body.type}" data-body="${body.text}">${featured}</a></li>
`
}

function renderGroup(title: string, demos: readonly Demo[]): Html {
  if (demos.length === 0) return html``
  const isLarge = title === demoGroups[0]
  return html`<section aria-labelledby="${toId(title)}">
<h2 id="${toId(title)}">${title}</h2>
<ul class="${isLarge ? 'cards' : 'demos'}">
${demos.map(
  ({
    name,
    title,
    summary,
    page,
  }) => html`<li${isLarge ? html` class="card"` : ''}><h3><a href="${page ?? toDemoPath(name)}">${title}</a></h3>
<p>${summary}</p>${
    page === undefined
      ? ''
      : html`
<p class="quiet"><a href="${toDemoPath(name)}" aria-label="Sample requests for ${title.toLowerCase()}">Sample requests</a></p>`
  }</li>
`,
)}</ul>
</section>
`
}

function toId(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}
