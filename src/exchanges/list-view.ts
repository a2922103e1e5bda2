import { STATUS_CODES } from '../http/node-http.ts'
import { renderMethod } from '../site/highlight.ts'
import { formatDuration } from '../site/assets/size.js'
import { html, type Html } from '../site/html.ts'
import type { Summary } from './exchange.ts'
import { groupExchanges } from './group-exchanges.ts'

export interface ExchangeRow extends Summary {
  body?: string
  preview?: string
}

export interface ExchangeList {
  exchanges: readonly ExchangeRow[]
  hasBodies?: boolean
  isSearch?: boolean
  toUrl: (id: string) => string
  eventsUrl: string
  diffUrl: string
}

export function renderList(list: ExchangeList): Html {
  const { exchanges, toUrl, eventsUrl, diffUrl, hasBodies, isSearch } = list
  const rows = groupExchanges(exchanges).flatMap((group) =>
    group.map((exchange, index) => renderExchange(exchange, toUrl, index > 0)),
  )
  const isFiltered = eventsUrl === '' || isSearch
  const empty = isFiltered ? 'No request matches.' : 'No requests yet.'
  return html`<div class="exchanges" data-events="${eventsUrl}">
<div class="listing-head">
<p class="count" role="status" data-part="state">${exchanges.length === 0 ? empty : html`${exchanges.length} request${exchanges.length === 1 ? '' : 's'}`}</p>
<p class="actions"><button type="button" class="second small scripted" data-part="new" hidden>Show new</button>
<button type="button" class="second small scripted" data-part="pause" aria-pressed="false"${eventsUrl === '' ? html` hidden` : ''}>Pause</button>
<button type="submit" class="second small" form="compare" data-part="compare">Compare two</button></p>
</div>
<form id="compare" action="${diffUrl}"></form>
<div class="split">
<section class="rows" tabindex="0" aria-label="Requests" data-empty="${isFiltered ? empty : 'Requests appear here as they end.'}"><table>
<thead><tr><th scope="col">Compare</th><th scope="col">Time <span>(UTC)</span></th><th scope="col">Method</th><th scope="col">Status</th><th scope="col">Path</th>${hasBodies ? html`<th scope="col" class="body">Body</th>` : html`<th scope="col" class="number">Duration</th>`}<th scope="col">Client</th></tr></thead>
<tbody>
${rows}</tbody>
</table></section>
<div class="pane scripted" hidden></div>
</div>
</div>
`
}

export function renderExchange(
  exchange: ExchangeRow,
  toUrl: (id: string) => string,
  isPart = false,
): Html {
  const { id, receivedAt, method, target, ms, client, isOwn, body, preview } = exchange
  const label = `${method} ${target}`
  return html`<tr id="x-${id}"${isPart ? html` class="earlier"` : ''}>
<td><input type="checkbox" form="compare" name="a" value="${id}" aria-label="Compare ${label}"></td>
<td>${renderRowTime(receivedAt)}</td>
<td>${renderMethod(method)}</td>
<td>${renderShort(exchange)}</td>
<th scope="row"><a href="${toUrl(id)}" title="${target}"><code>${target}</code></a>${preview ? html` <bdi class="preview">${preview}</bdi>` : ''}</th>
${body === undefined ? html`<td class="number">${formatDuration(ms)}</td>` : html`<td title="${body}">${body}</td>`}
<td title="${client}">${isOwn ? html`<span class="own">you</span>` : client}</td>
</tr>
`
}

function renderRowTime(receivedAt: string): Html {
  const [date = '', time = ''] = receivedAt.slice(0, 23).split('T')
  const isToday = new Date().toISOString().startsWith(date)
  const shown = isToday
    ? html`${time.slice(0, 8)}<span>${time.slice(8)}</span>`
    : html`${date.slice(5)} ${time.slice(0, 8)}`
  return html`<time datetime="${receivedAt.slice(0, 23)}Z" title="${date} ${time} UTC">${shown}</time>`
}

function renderShort({ status, isCutOff }: Summary): Html {
  if (status === undefined || isCutOff) return html`<span class="status s5">cut off</span>`
  return html`<span class="status s${String(status).charAt(0)}">${status} <span>${STATUS_CODES[status] ?? ''}</span></span>`
}
