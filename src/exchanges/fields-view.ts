import { formatNumber } from '../config/format-count.ts'
import { isCommonHeader } from '../site/assets/highlight.js'
import { renderCodeBlock } from '../site/highlight.ts'
import { html, type Html, type HtmlValue } from '../site/html.ts'
import { findField, mask, type Exchange, type Fields } from './exchange.ts'

/** A form of 64 KiB can have 30,000 fields, and be a few bytes when it is compressed. */
export const maxRows = 500

export function renderPairs(title: string, fields: Fields): Html {
  if (fields.length === 0) return html``
  const rest = fields.length - maxRows
  const more =
    rest > 0 ? html`<p class="quiet">${formatNumber(rest)} more are not shown.</p>\n` : ''
  return html`<h2>${title}</h2>
<div class="table" tabindex="0" role="group" aria-label="${title}"><table class="fields"><tbody>
${fields.slice(0, maxRows).map(([name, value]) => html`<tr><th scope="row"><code>${name}</code></th><td><code>${renderValue(value)}</code></td></tr>\n`)}</tbody></table></div>
${more}`
}

function renderValue(value: string): HtmlValue {
  const parts = value.split(mask)
  const hidden = html`<span class="masked" title="A secret, which is not shown">${mask}</span>`
  return parts.map((part, index) => (index === 0 ? part : html`${hidden}${part}`))
}

/** The head of a message. The headers that nearly every exchange has are folded into one line. */
export function renderHead(head: string, sender: 'browser' | 'service'): Html {
  const lines = head.trimEnd().split('\n')
  const common = lines.filter(isCommonHeader)
  const own = lines.filter((line) => !isCommonHeader(line))
  const count = common.length === 1 ? '1 header' : `${String(common.length)} headers`
  const folded = html`<details><summary>${count} that every ${sender} sends</summary>${renderCodeBlock(common.join('\n'), 'head')}</details>\n`
  return html`${renderCodeBlock(own.join('\n'), 'head')}${common.length === 0 ? '' : folded}`
}

/** What the headers say that explain a response, in the order in which a reader needs them. */
const meanings: Readonly<Record<string, string>> = {
  location: 'the URL to continue with',
  'www-authenticate': 'how a client can log in',
  'proxy-authenticate': 'how a client can log in to the proxy',
  'retry-after': 'when to try again, in seconds or as a date',
  allow: 'the methods that the URL has',
  'accept-post': 'the types that a POST can have',
  'accept-patch': 'the types that a PATCH can have',
  'accept-query': 'the types that a QUERY can have',
  'content-range': 'the position of the part in the whole',
  'idempotency-replayed': 'a stored response to the same Idempotency-Key',
  'preference-applied': 'the preferences that were applied',
  'set-cookie': 'a cookie that the browser stores and sends back',
  etag: 'names this version of the representation',
  'last-modified': 'when the representation was changed',
  'cache-control': 'who can store the response, and for how long',
  age: 'the seconds that it was in a cache',
  expires: 'until when a stored copy is fresh',
  vary: 'the headers of the request that the response depends on',
  'content-encoding': 'the compression of the body',
  'content-disposition': 'whether to save the body, and its file name',
  'content-location': 'the URL of this representation',
  'accept-ranges': 'the unit of the parts that can be requested',
  link: 'related URLs',
  ratelimit: 'the requests that remain',
  upgrade: 'the protocol that the server can change to',
  trailer: 'the headers that follow the body',
  'transfer-encoding': 'how the body is divided into chunks',
  'access-control-allow-methods': 'the methods that other origins can use',
  'access-control-allow-headers': 'the headers that other origins can send',
}

/** The headers that explain the response, without what every response has. */
export function renderMeaning({ responseFields, isPreflight, status = 0, method }: Exchange): Html {
  const isDefault = (name: string, value: string) =>
    (name === 'cache-control' && value === 'private, no-cache') ||
    (name === 'vary' && /^(origin|accept-encoding|x-sandbox|cookie|, )*$/i.test(value)) ||
    (/^accept-p|^accept-query/.test(name) && status < 400 && method !== 'OPTIONS') ||
    (/^access-control-/.test(name) && !isPreflight)
  const shown = Object.entries(meanings).flatMap(([name, meaning]) => {
    const value = findField(responseFields, name)
    if (value === undefined || isDefault(name, value)) return []
    return html`<dt><code>${name}</code></dt><dd><code>${renderValue(value)}</code> <span class="quiet">${meaning}</span></dd>\n`
  })
  return shown.length === 0
    ? html``
    : html`<h2>What mattered</h2>\n<dl class="mattered">${shown}</dl>\n`
}
