import { STATUS_CODES } from '../http/node-http.ts'
import { html, type Html } from '../site/html.ts'
import { type Page, renderTime } from '../site/page.ts'
import { toCommands } from './commands.ts'
import type { Exchange } from './exchange-log.ts'

export function renderInspectorPage(origin: string): Page {
  return {
    title: 'Request inspector',
    main: html`<p>The server records exchanges (a request and its response) with browsers and with
clients whose <code>Accept</code> names <code>text/html</code>. Each recorded response has the id of its
exchange in <code>Server-Timing</code>. Open <code>/inspector/ID</code> to see the request line and
headers, the status and response headers, the method before and after an override, how the
representation was chosen, and commands that repeat the request.</p>
<p>With JavaScript, every page shows its own exchange at the bottom. With curl, read the id first:</p>
<pre tabindex="0"><code>curl -si -H 'Accept: text/html' ${origin}/ | grep -i server-timing</code></pre>
<p>The server stores the last 500 exchanges, in memory and without bodies. Responses that shared caches
may store, such as the pages under <code>/problems</code>, are not recorded. Cookies and credentials are
masked. The ids cannot be guessed.</p>`,
  }
}

/** The panel of other pages shows the `data-exchange` part. */
export function renderExchangePage(exchange: Exchange): Page {
  const { method, target, receivedAt, status } = exchange
  const { curl, fetch, httpie } = toCommands(exchange)
  return {
    title: `${method} ${target}`,
    main: html`<div data-exchange>
${renderFacts(exchange)}
<div class="heads">
${renderHead('Request', exchange.requestHead)}
${renderHead('Response', exchange.responseHead)}
</div>
<h2>Repeat this request</h2>
${curl.endsWith('@content') ? html`<p>Bodies are not recorded. Save the body to the file <code>content</code> first.</p>\n` : ''}${renderCommand('curl', curl)}${renderCommand('fetch', fetch)}${renderCommand('HTTPie', httpie)}</div>
<p>Received at ${renderTime(receivedAt)}, status ${status}.</p>`,
  }
}

function renderHead(title: string, text: string): Html {
  return html`<section aria-label="${title}"><h2>${title}</h2><pre tabindex="0"><code>${text}</code></pre></section>`
}

function renderFacts(exchange: Exchange): Html {
  const { status, responseFields, ms, method, effectiveMethod } = exchange
  const validators = ['etag', 'last-modified'].flatMap((name) => find(responseFields, name) ?? [])
  return html`<dl class="facts">
<dt>Status</dt><dd>${status} ${STATUS_CODES[status] ?? ''}</dd>
<dt>Method</dt><dd>${method === effectiveMethod ? method : html`${method}, overridden to <strong>${effectiveMethod}</strong>`}</dd>
<dt>Representation</dt><dd>${renderRepresentation(exchange)}</dd>
<dt>Validators</dt><dd>${validators.length === 0 ? 'none' : validators.map((value) => html`<code>${value}</code> `)}</dd>
<dt>Time</dt><dd>${ms.toFixed(1)} ms</dd>
</dl>`
}

function renderRepresentation({ negotiation, requestFields }: Exchange): Html | string {
  if (negotiation === undefined) return 'Not negotiated: this URL has one representation.'
  const { chosen, by, offers } = negotiation
  const others = offers.filter((offer) => offer !== chosen).join(', ')
  const also = others === '' ? '' : ` Also available: ${others}.`
  if (chosen === undefined) return `None is acceptable.${also}`
  const reasons = {
    suffix: 'chosen by the suffix of the URL.',
    default: html`the default without an Accept header.${also}`,
    accept: html`the best match for <code>Accept: ${find(requestFields, 'accept') ?? ''}</code>.${also}`,
  }
  return html`<code>${chosen}</code>, ${reasons[by]}`
}

function find(fields: Exchange['requestFields'], name: string): string | undefined {
  return fields.find(([given]) => given.toLowerCase() === name)?.[1]
}

function renderCommand(label: string, text: string): Html {
  return html`<figure class="command"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>
`
}
