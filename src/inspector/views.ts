import { codeBlock, renderCommand, renderMethod } from '../site/highlight.ts'
import { html, type Html } from '../site/html.ts'
import { type Page, renderStatus, renderTime } from '../site/page.ts'
import { toStatusNote } from '../site/status-note.ts'
import { toCommands } from './commands.ts'
import type { Exchange } from './exchange.ts'

export function renderInspectorPage(origin: string): Page {
  const browserLike = `curl -si -H 'Accept: text/html' ${origin}/ | grep -i server-timing`
  return {
    title: 'Request inspector',
    description: 'See the headers of each request and response, and repeat the request.',
    main: html`<p class="lead">See each request and response as the server received and sent them, and repeat the
request with curl, fetch or HTTPie.</p>
<h2>In a browser</h2>
<p>Open “Request inspector” at the bottom of any page. It shows the exchange (the request and the response)
that loaded the page: on this page, <code>GET /inspector</code>. It stays open on the next pages.</p>
<h2>With a command</h2>
<ol>
<li>Send a request that prefers HTML, and read the id of its exchange in <code>Server-Timing</code>:
${renderCommand('curl', browserLike)}</li>
<li>Open <code>${origin}/inspector/ID</code>. With <code>Accept: text/plain</code> you get the headers as text, and
with <code>Accept: application/json</code> as JSON.</li>
</ol>
<h2>What is recorded</h2>
<ul>
<li>The last 500 exchanges of browsers, and of clients whose <code>Accept</code> contains
<code>text/html</code>. They are in memory, without bodies, and their ids cannot be guessed.</li>
<li>Cookies, passwords and tokens are masked.</li>
<li>Responses that shared caches may store, such as the pages under <code>/problems</code>, are not recorded.</li>
</ul>`,
  }
}

/** Scripts show the `data-exchange` parts on other pages. */
export function renderExchangePage(title: string, exchanges: readonly Exchange[]): Page {
  return {
    title,
    back: ['/inspector', 'Request inspector'],
    main: html`${exchanges.map(renderExchange)}`,
  }
}

function renderExchange(exchange: Exchange): Html {
  const { method, effectiveMethod, target, status, ms, receivedAt } = exchange
  const { curl, fetch, httpie } = toCommands(exchange)
  const overridden =
    method === effectiveMethod ? '' : html` overridden to ${renderMethod(effectiveMethod)}`
  const isStored = curl.endsWith('@content')
  return html`<div data-exchange class="exchange">
<p class="line">${renderMethod(method)}${overridden} <code>${target}</code> ${renderStatus(status ?? '')}
<span class="quiet">${ms.toFixed(1)} ms on the server, ${renderTime(receivedAt)}</span></p>
<p class="note">${toStatusNote(status ?? 0)}</p>
${renderFacts(exchange)}
<div class="heads">
${renderHead('Request', exchange.requestHead)}${renderHead('Response', exchange.responseHead)}</div>
<div data-part="commands">
<p>Repeat this request${isStored ? html`. Bodies are not recorded: save the body to the file <code>content</code> first` : ''}:</p>
<div data-tabs="Command">
${renderCommand('curl', curl)}${renderCommand('fetch', fetch)}${renderCommand('HTTPie', httpie)}</div>
</div>
</div>
`
}

function renderHead(title: string, head: string): Html {
  return html`<div role="group" aria-label="${title}"><p class="quiet">${title}</p>
${codeBlock(head.trimEnd(), 'exchange')}</div>
`
}

function renderFacts(exchange: Exchange): Html {
  const validators = ['ETag', 'Last-Modified'].flatMap((name) => {
    const value = find(exchange.responseFields, name.toLowerCase())
    return value === undefined ? [] : html`<code>${name}: ${value}</code> `
  })
  return html`<dl>
<dt>Representation</dt><dd>${renderRepresentation(exchange)}</dd>
<dt>Validators</dt><dd>${validators.length === 0 ? 'None: a cache cannot revalidate this response.' : validators}</dd>
</dl>`
}

function renderRepresentation({ negotiation, requestFields }: Exchange): Html | string {
  if (negotiation === undefined) return 'Not negotiated: this URL has one representation.'
  const { chosen, by, offers } = negotiation
  const others = offers.filter((offer) => offer !== chosen).join(', ')
  const also = others === '' ? '' : ` Also available: ${others}.`
  if (chosen === undefined) return `None is acceptable.${also}`
  const accept = find(requestFields, 'accept') ?? ''
  const preference = accept.length > 60 ? 'Accept' : `Accept: ${accept}`
  const reasons = {
    suffix: 'chosen by the suffix of the URL.',
    default: html`the default without an Accept header.${also}`,
    accept: html`the best match for <code>${preference}</code>.${also}`,
  }
  return html`<code>${chosen}</code>, ${reasons[by]}`
}

function find(fields: Exchange['requestFields'], name: string): string | undefined {
  return fields.find(([given]) => given.toLowerCase() === name)?.[1]
}
