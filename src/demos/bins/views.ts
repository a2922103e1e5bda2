import { formatCount } from '../../config/format-count.ts'
import { maxBinNameLength, maxOwnBins } from '../../config/limits.ts'
import { renderList, type ExchangeRow } from '../../exchanges/list-view.ts'
import { toHref, type ParameterTexts } from '../../lists/parameters.ts'
import { statusPattern } from '../../lists/status.ts'
import { renderCodeBlock, renderCommand } from '../../site/highlight.ts'
import { html, renderHiddenFields, type Html } from '../../site/html.ts'
import { renderTime, type Page } from '../../site/page.ts'
import { wrongSecret, type OpenedBin } from './access.ts'
import { toExpiry } from './bin-ids.ts'
import { binsPage, type Bin } from './bin-store.ts'
import { toRequestPath } from './captured-request.ts'

export const files = { scripts: ['inspector.js'], styles: ['inspector.css'] }

interface BinsView {
  own: readonly { id: string; name: string }[]
  days: number
  /** The URL of the service, with the path of the sandbox. */
  base: string
  flash: Html | undefined
}

export function renderBinsPage({ own, days, base, flash }: BinsView): Page {
  return {
    title: 'Request bins',
    main: html`${flash ?? ''}<p class="lead">A bin is a URL that captures every request, for example of a webhook or of your own client. Its page shows
each request as soon as it arrives.</p>
<form method="post" action="/bins">${renderName('Name (optional)')}<p class="actions"><button type="submit">Create a bin</button></p></form>
<p class="quiet">Anyone who knows the URL of a bin can send requests to it. To read them, a client needs the secret of the bin,
which this browser keeps as a cookie, for its last ${maxOwnBins} bins. A bin is removed after ${formatCount(days, 'day')}.</p>
${renderNextForgotten(own)}<h2>Bins of this browser</h2>
${own.length === 0 ? html`<p class="empty">This browser has no bins yet.</p>` : html`<ul>\n${own.map(renderBinLink)}</ul>`}
<h2>With a command</h2>
<p>The response has the URL and the secret of the bin.</p>
${renderCommand('curl', `curl -X POST ${base}/bins`)}`,
  }
}

function renderNextForgotten(own: BinsView['own']): Html {
  const oldest = own[maxOwnBins - 1]
  if (oldest === undefined) return html``
  return html`<p class="note">This browser has ${maxOwnBins} bins, and cannot keep the secrets of more. With the next one it loses the secret of this bin:
<a href="/bins/${oldest.id}">${oldest.name || oldest.id}</a>. To read that bin later, copy its secret from its page first.</p>
`
}

function renderName(label: string, name = ''): Html {
  return html`<p class="field"><label for="name">${label}</label>
<input type="text" id="name" name="name" value="${name}" pattern=".{0,${maxBinNameLength}}" title="At most ${maxBinNameLength} characters" dir="auto" autocomplete="off"></p>
`
}

function renderBinLink({ id, name }: { id: string; name: string }): Html {
  const until = toExpiry(id)?.toISOString() ?? ''
  return html`<li><a href="/bins/${id}">${name === '' ? '' : html`<bdi>${name}</bdi> `}<code>${id}</code></a> <span class="quiet">until ${renderTime(until)}</span></li>\n`
}

export function renderSecretPage(path: string, problem: string): Page {
  const isWrong = problem === wrongSecret
  return {
    title: 'Request bin',
    back: binsPage,
    main: html`${isWrong ? html`<div class="notice error" role="alert"><p id="problem">${wrongSecret}</p></div>\n` : ''}<p class="lead">This bin can be read with its secret only.</p>
<form action="${path}">
<p class="field"><label for="secret">The secret, which begins with <code>vbs_</code></label>
<input type="password" id="secret" name="secret" required autocomplete="current-password"${isWrong ? html` aria-invalid="true" aria-describedby="problem"` : ''}></p>
<p class="actions"><button type="submit">Open the bin</button></p>
</form>
<p class="quiet">The response to the request that created the bin has the secret, and so has the page of the bin in the
browser that created it. A client sends it as <code>Authorization: Bearer SECRET</code>.</p>
`,
  }
}

export interface BinEdit {
  flash?: Html | undefined
  draft?: string
  problem?: string
}

interface BinView extends BinEdit {
  origin: string
  base: string
  lastEvent: number
  exchanges: readonly ExchangeRow[]
  parameters: ParameterTexts
  searchProblem: string | undefined
  isLive: boolean
}

export function renderBinPage(bin: OpenedBin, view: BinView): Page {
  const { origin, base, exchanges, parameters, isLive, lastEvent, flash } = view
  const { id, name, expiresAt } = bin
  const url = `${origin}/b/${id}`
  const isNew = exchanges.length === 0 && parameters.size === 0
  const live = { rows: 'html', last_event_id: String(lastEvent) }
  const list = renderList({
    exchanges,
    toUrl: toRequestPath(id),
    eventsUrl: !isLive ? '' : toHref({ path: `/bins/${id}/events`, parameters }, live),
    diffUrl: `/bins/${id}/diff`,
    hasBodies: true,
    isSearch: parameters.size > 0,
  })
  return {
    title: name || 'Request bin',
    back: binsPage,
    ...files,
    main: html`${flash ?? ''}<p class="lead">Every request to this URL, and to each path below it, is captured until ${renderTime(expiresAt)}:</p>
${renderCommand('URL', url)}<details${isNew ? html` open` : ''}><summary>Send a request with curl</summary>
${renderCommand('curl', `curl ${url}/hook --json '{"id":1}'`)}</details>
${renderAccess(bin, base)}${renderSearch(id, view)}${list}
<p class="actions"><a class="button second" href="${toHref({ path: `/bins/${id}`, parameters })}">Reload</a>
<a class="button second" href="${toHref({ path: `/bins/${id}/requests.har`, parameters })}">Export as HAR</a>
<span class="quiet">The export has the first 64 KiB of each body.</span></p>
${renderResponseForm(bin, view)}${renderNameForm(bin)}<div class="actions">${renderRemoval(toHref({ path: `/bins/${id}/requests`, parameters }), parameters.size > 0 ? 'all requests that match' : 'all requests')}
${renderRemoval(`/bins/${id}`, 'the bin')}</div>
`,
  }
}

const examples = [
  { status: 201, headers: { 'X-Own': '1' }, json: { ok: true }, delay: 2 },
  { sequence: [{ status: 503, times: 2, headers: { 'Retry-After': '1' } }, { status: 200 }] },
]

function renderResponseForm({ id, response }: Bin, { draft, problem }: BinEdit): Html {
  const text = draft ?? JSON.stringify(JSON.parse(response), undefined, 2)
  const isInvalid = problem !== undefined
  return html`<details${isInvalid ? html` open` : ''}><summary>Response of the bin</summary>
<form method="post" action="/bins/${id}">
<input type="hidden" name="_method" value="PATCH">
<div class="field"><label for="response">The description of the response, as for <a href="/responses">/responses/custom</a>, or a sequence</label>
<textarea id="response" name="response" rows="8" spellcheck="false"${isInvalid ? html` aria-invalid="true" aria-describedby="problem" autofocus` : ''}>${text}</textarea>
${isInvalid ? html`<span class="error" id="problem">${problem}</span>\n` : ''}</div>
<p class="actions"><button type="submit">Save</button></p>
</form>
<p>For example one response, or 503 twice and then 200:</p>
${examples.map((example) => renderCodeBlock(JSON.stringify(example), 'json'))}
</details>
`
}

function renderNameForm({ id, name }: Bin): Html {
  return html`<details><summary>Name of the bin</summary>
<form method="post" action="/bins/${id}">
<input type="hidden" name="_method" value="PATCH">
${renderName('Name', name)}<p class="actions"><button type="submit">Rename</button></p>
</form></details>
`
}

function renderAccess({ id, secret }: OpenedBin, base: string): Html {
  const url = `${base}/bins/${id}`
  const local = toForwardCommand(url, secret)
  const list = `curl ${url}/requests -H 'Authorization: Bearer ${secret}'`
  return html`<details><summary>Commands with the secret</summary>
<p>Anyone with the secret can read, change and remove this bin.</p>
${renderCommand('Forward the requests to a local service, in a clone of Vitrine', local)}${renderCommand('List the requests', list)}${renderCommand(
    'Open this page in another browser',
    `${url}?secret=${secret}`,
  )}</details>
`
}

export const toForwardCommand = (url: string, secret: string) =>
  `npm start -- forward ${url} http://localhost:8080 --secret ${secret}`

export function renderRemoval(url: string, what: string): Html {
  return html`<details class="confirm"><summary>Remove ${what}</summary>
<form method="post" action="${url}"><input type="hidden" name="_method" value="DELETE">
<p>Remove ${what}? This cannot be undone.</p>
<p><button type="submit" class="danger">Yes, remove ${what}</button></p></form>
</details>`
}

function renderSearch(id: string, { parameters, searchProblem }: BinView): Html {
  const field = (name: string, label: string, more = html``) =>
    html`<label>${label} <input type="search" name="${name}" value="${parameters.get(name)?.[0] ?? ''}" dir="auto"${more}></label>\n`
  const pattern = html` pattern="${statusPattern}" title="A status code such as 200, or a class such as 2xx"`
  const hasFilters = parameters.size > 0 || searchProblem !== undefined
  return html`<form class="filter" action="/bins/${id}" role="search">
${renderHiddenFields(parameters, ['method', 'path', 'status', 'q', 'contains'])}${field('method', 'Method')}${field('path', 'Path')}${field('status', 'Status', pattern)}${field('q', 'Contains')}<button type="submit" class="second">Search</button>
${hasFilters ? html`<a class="button second" href="/bins/${id}">Show all</a>\n` : ''}</form>
${searchProblem === undefined ? '' : html`<p class="notice error" role="alert">${searchProblem}</p>\n`}`
}
