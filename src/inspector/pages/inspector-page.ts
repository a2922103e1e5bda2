import { randomBytes } from 'node:crypto'
import { renderList, type ExchangeList } from '../../exchanges/list-view.ts'
import { html, renderHiddenFields, type Html } from '../../site/html.ts'
import type { Page } from '../../site/page.ts'
import { keyPattern } from '../post-key.ts'
import type { ExchangeFilter } from '../recorder/filter.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']
const statuses = ['2xx', '3xx', '4xx', '5xx']

interface InspectorPage extends ExchangeList {
  origin: string
  filter: ExchangeFilter
  parameters: ReadonlyMap<string, readonly string[]>
  mode: 'all' | 'own' | 'off'
  clearsAll: boolean
  hasSession: boolean
  hasSandbox: boolean
  /** The sandbox was joined to read. */
  isReadOnly: boolean
  key: string | undefined
  notice: string
  query: string
  older: string | undefined
}

export function renderInspectorPage(options: InspectorPage): Page {
  const { filter, mode, hasSession, hasSandbox, key } = options
  const isOwn = mode === 'own'
  return {
    title: 'Request inspector',
    description: 'See each request and response, compare two, and repeat them.',
    styles: ['inspector.css'],
    scripts: ['inspector.js'],
    main: html`<p class="lead">${leads[mode]}</p>
${isOwn || filter.isOwn ? renderKey(options) : ''}${isOwn && !(hasSession || hasSandbox) && key === undefined ? '' : renderExchanges(options)}${renderNotes(options)}`,
  }
}

/** A visitor without a session or a key has an empty list if everyone sees only their own requests. */
function renderExchanges(options: InspectorPage): Html {
  const { clearsAll, hasSession, hasSandbox, isReadOnly, key, notice, query, older } = options
  const canClear = !isReadOnly && (clearsAll || hasSession || hasSandbox || key !== undefined)
  return html`<p class="note" role="status" data-part="notice"${notice === '' ? html` hidden` : ''}>${notice}</p>
${renderFilter(options)}
${renderList(options)}
<div class="actions"><a class="button second" href="/inspector${query}">Reload</a>
${older === undefined ? '' : html`<a class="button second" href="${older}">Older</a>\n`}<a class="button second" href="/inspector.har${query}">Export as HAR</a>
${canClear ? html`<form method="post" action="/inspector"><input type="hidden" name="_method" value="DELETE"><button type="submit" class="second">${clearsAll ? 'Clear' : 'Clear mine'}</button></form>` : ''}</div>
`
}

function renderKey({ origin, hasSession, key }: InspectorPage): Html {
  // The example is random: visitors who copied the same one would see the requests of each other.
  const value = key ?? randomBytes(12).toString('hex')
  const header = html`<code data-part="key">curl -H 'X-Inspector: ${value}' '${origin}/health'</code>`
  return html`<p>${
    key === undefined
      ? html`${hasSession ? 'You are logged in: your requests are those of your session. With a key, they are those with the key instead. ' : ''}Choose
a key to see your requests here, or use this random one. Everyone who knows a key sees its requests.`
      : html`Your requests are those of this browser, and those of other clients that send your key: ${header}.
They stay in this list after you log in or out.`
  }</p>
<form class="filter" method="post" action="/inspector/key">
<label>Key <input type="text" name="key" value="${value}" required pattern="${keyPattern}" size="30" autocomplete="off" spellcheck="false" title="16 to 200 letters, digits, hyphens or underscores"></label>
<button type="submit">Use this key</button>
</form>
`
}

const leads = {
  all: 'Every request to this service, with its response. Send one with a browser, curl or your own client.',
  own: 'Your requests to this service, with their responses.',
  off: 'This service records no requests: INSPECTOR is off.',
}

function renderFilter({ filter, mode, parameters }: InspectorPage): Html {
  const { method, path, isOwn, isError, lacksAssets } = filter
  const own = ['method', 'status', 'path', 'client', 'mine', 'errors', 'assets']
  const find = (name: string) => parameters.get(name)?.[0] ?? ''
  const options = (values: readonly string[], chosen = '') =>
    ['', ...values, ...(chosen === '' || values.includes(chosen) ? [] : [chosen])].map(
      (value) =>
        html`<option value="${value}"${value === chosen ? html` selected` : ''}>${value || 'Any'}</option>`,
    )
  const checkbox = (name: string, label: string, isChecked = false) =>
    html`<label><input type="checkbox" name="${name}" value="1"${isChecked ? html` checked` : ''}> ${label}</label>\n`
  return html`<form class="filter" method="get" action="/inspector" role="search">
${renderHiddenFields(parameters, own)}<label>Method <select name="method">${options(methods, method)}</select></label>
<label>Status <select name="status">${options(statuses, find('status').toLowerCase())}</select></label>
<label>Path <input type="search" name="path" value="${path ?? ''}" placeholder="/users"></label>
<label>Client <input type="text" name="client" value="${find('client')}" placeholder="127.0.0.1"></label>
${checkbox('errors', 'Only errors', isError)}${mode === 'own' ? '' : checkbox('mine', 'Only mine', isOwn)}${checkbox('assets', 'With assets', !lacksAssets)}<button type="submit" class="second">Filter</button>
</form>`
}

function renderNotes({ origin, mode, key }: InspectorPage): Html {
  const own = mode === 'own' && key !== undefined ? html` -H 'X-Inspector: ${key}'` : ''
  return html`<h2>Notes</h2>
<ul>
${mode === 'all' ? html`<li>“Only mine” shows the requests with your key if you chose one, otherwise those of your session.</li>\n` : ''}<li>The latest request is first. ↑ marks a redirect or a preflight, which led to the request above it.</li>
<li>Cookies, passwords and tokens are masked. Of each body the first 64 KiB are stored, in memory.</li>
<li>The list is also available as JSON, with the same filters: <code>curl -H 'Accept: application/json'${own}
'${origin}/inspector?status=4xx'</code>.</li>
</ul>`
}
