import { renderExchange } from '../../inspector/exchange-view.ts'
import type { Exchange } from '../../inspector/exchange.ts'
import { renderList } from '../../inspector/list-view.ts'
import { toHref, type ParameterTexts } from '../../resources/list/list-parameters.ts'
import { formatBytes } from '../../site/assets/size.js'
import { renderCommand } from '../../site/highlight.ts'
import { html, type Html } from '../../site/html.ts'
import { renderTime, type Page } from '../../site/page.ts'
import { toExpiry } from './bin-ids.ts'
import { binsPage, type Bin } from './bin-store.ts'
import { toExchange, type CapturedRequest } from './captured-request.ts'
import type { filesToJson } from './send-body.ts'

type FileList = ReturnType<typeof filesToJson>

export const toUrl = (bin: string) => (id: string) => `/bins/${bin}/requests/${id}`

export function renderBinsPage(ids: readonly string[], days: number): Page {
  return {
    title: 'Request bins',
    main: html`<p class="lead">A bin is a URL that captures every request, for example of a webhook or of your own client. Its page shows
each request as soon as it arrives.</p>
<form method="post" action="/bins"><p class="actions"><button type="submit">Create a bin</button></p></form>
<p class="quiet">A bin is removed after ${days} days. Whoever knows its URL can send to it. Only who has its secret, which this
browser keeps as a cookie, can read it.</p>
<h2>Bins of this browser</h2>
${ids.length === 0 ? html`<p class="empty">None yet.</p>` : html`<ul>\n${ids.map(renderBinLink)}</ul>`}
`,
  }
}

function renderBinLink(id: string): Html {
  const until = toExpiry(id)?.toISOString() ?? ''
  return html`<li><a href="/bins/${id}"><code>${id}</code></a> <span class="quiet">until ${renderTime(until)}</span></li>\n`
}

interface BinView {
  origin: string
  /** The newest first. */
  exchanges: readonly Exchange[]
  /** Of a search. */
  parameters: ParameterTexts
}

export function renderBinPage(bin: Bin, { origin, exchanges, parameters }: BinView): Page {
  const { id, expiresAt, response } = bin
  const url = `${origin}/b/${id}/`
  const isSearch = [...parameters.values()].flat().some((text) => text !== '')
  const list = renderList({
    exchanges,
    toUrl: toUrl(id),
    // What is found stays in place.
    eventsUrl: isSearch ? '' : `/bins/${id}/events?rows=html`,
    diffUrl: `/bins/${id}/diff`,
  })
  return {
    title: 'Request bin',
    back: binsPage,
    scripts: ['inspector.js'],
    styles: ['inspector.css'],
    main: html`<p class="lead">Every request to this URL, and to each path below it, is captured until ${renderTime(expiresAt)}:</p>
${renderCommand('URL', url)}${renderCommand('curl', `curl ${url}hook --json '{"id":1}'`)}
${renderSearch(id, parameters)}${list}
<p class="actions"><a class="button second" href="/bins/${id}">Reload</a>
<a class="button second" href="${toHref({ path: `/bins/${id}/requests.har`, parameters })}">Export as HAR</a></p>
<details><summary>Response of the bin</summary>
<form method="post" action="/bins/${id}">
<input type="hidden" name="_method" value="PATCH">
<p class="field"><label for="response">The description of the response, as for <code>/responses/custom</code>, or a sequence</label>
<textarea id="response" name="response" rows="8" spellcheck="false">${JSON.stringify(JSON.parse(response), undefined, 2)}</textarea></p>
<p class="actions"><button type="submit">Save</button></p>
</form>
</details>
<form method="post" action="/bins/${id}/requests"><input type="hidden" name="_method" value="DELETE">
<p class="actions"><button type="submit" class="second">Remove all requests</button></p></form>
<form method="post" action="/bins/${id}"><input type="hidden" name="_method" value="DELETE">
<p class="actions"><button type="submit" class="second">Remove the bin</button></p></form>
`,
  }
}

function renderSearch(id: string, parameters: ParameterTexts): Html {
  const field = (name: string, label: string) =>
    html`<label>${label} <input type="search" name="${name}" value="${parameters.get(name)?.[0] ?? ''}" dir="auto"></label>\n`
  return html`<form class="filter" action="/bins/${id}" role="search">
${field('method', 'Method')}${field('path', 'Path')}${field('q', 'Contains')}<button type="submit" class="second">Search</button>
</form>
`
}

/** With the files of a form. */
export function renderRequestPage(bin: Bin, request: CapturedRequest, files: FileList): Page {
  const url = toUrl(bin.id)(request.id)
  const links = html`<p class="actions"><a class="button second small" href="${url}/body">Download the body</a></p>
`
  return {
    title: `${request.method} ${request.path}`,
    back: [`/bins/${bin.id}`, 'Requests of the bin'],
    scripts: ['inspector.js'],
    styles: ['inspector.css'],
    main: html`${renderExchange(toExchange(request), links)}${files.length === 0 ? '' : renderFiles(files)}`,
  }
}

function renderFiles(files: FileList): Html {
  return html`<h2>Files</h2>
<ul>
${files.map(({ name, url, size, field }) => html`<li><a href="${url}">${name}</a> <span class="quiet">${formatBytes(size)}, in the field ${field}</span></li>\n`)}</ul>`
}
