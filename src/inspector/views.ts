import type { Exchange } from './exchange-log.ts'
import { html, type Html } from '../site/html.ts'
import { page, time } from '../site/page.ts'
import { toReasonPhrase } from '../http/errors/http-error.ts'
import { toCurl, toFetch, toHttpie } from './commands.ts'
import { toRequestHead, toResponseHead } from './message-head.ts'

/** What the panel is about, for whom it cannot load. */
export function inspectorPage(): Html {
  return page({
    title: 'On the wire',
    main: html`<p>Every answer of this service carries an id in <code>Server-Timing</code>, which is its
<code>X-Request-Id</code> too unless the client has chosen that one. Under
<code>/inspector/</code> and the id, the exchange can be seen as it was: the request line and its
headers, the status and its headers, the method before and after an override, which
representation was chosen and why, and the same request as a command to copy.</p>
<p>With JavaScript each page has its own exchange at its foot. From a command line:</p>
<pre tabindex="0"><code>curl -si -H 'Accept: text/html' localhost:3000/users | grep -i server-timing</code></pre>
<p>The last 500 exchanges of browsers, and of whoever asks for pages, are kept, in memory, without their contents. Cookies and credentials are
masked, and nobody can guess the id of another's.</p>`,
  })
}

/** One exchange; the panel of a page shows what is in its `data-exchange`. */
export function exchangePage(exchange: Exchange): Html {
  const { request, response } = exchange
  return page({
    title: `${request.method} ${request.target}`,
    main: html`<div data-exchange>
${facts(exchange)}
<div class="heads">
<section aria-label="Request"><h2>Request</h2><pre tabindex="0"><code>${toRequestHead(exchange)}</code></pre></section>
<section aria-label="Answer"><h2>Answer</h2><pre tabindex="0"><code>${toResponseHead(exchange)}</code></pre></section>
</div>
<h2>The same again</h2>
${command('curl', toCurl(exchange))}${command('fetch', toFetch(exchange))}${command('HTTPie', toHttpie(exchange))}</div>
<p>Answered with ${response.status} at ${time(exchange.receivedAt)}.</p>`,
  })
}

function facts(exchange: Exchange): Html {
  const { request, response, negotiation } = exchange
  const { status, headers, ms } = response
  const { etag, 'last-modified': lastModified } = headers
  const validators = [etag, lastModified].filter((value) => value !== undefined)
  return html`<dl class="facts">
<dt>Status</dt><dd>${status} ${toReasonPhrase(status) ?? ''}</dd>
<dt>Method</dt><dd>${request.method === request.effectiveMethod ? request.method : html`${request.method} on the wire, handled as <strong>${request.effectiveMethod}</strong>`}</dd>
<dt>Representation</dt><dd>${representation(negotiation, request.rawHeaders)}</dd>
<dt>Validators</dt><dd>${validators.length === 0 ? 'none' : validators.map((value) => html`<code>${String(value)}</code> `)}</dd>
<dt>Time</dt><dd>${ms.toFixed(1)} ms</dd>
</dl>`
}

function representation(negotiation: Exchange['negotiation'], rawHeaders: readonly string[]): Html {
  if (negotiation === undefined) return html`There is one, and nothing was negotiated.`
  const { chosen, by, offers } = negotiation
  const others = offers.filter((offer) => offer !== chosen).join(', ')
  const among = others === '' ? '' : html` There is also ${others}.`
  if (chosen === undefined) return html`None was acceptable.${among}`
  if (by === 'address') return html`<code>${chosen}</code>, since the address ends in its suffix.`
  if (by === 'default')
    return html`<code>${chosen}</code>, the first of all: there was no Accept.${among}`
  const index = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'accept')
  return html`<code>${chosen}</code>, the best for <code>Accept: ${rawHeaders[index + 1] ?? ''}</code>.${among}`
}

function command(label: string, text: string): Html {
  return html`<figure class="command"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>
`
}
