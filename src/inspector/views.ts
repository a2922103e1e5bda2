import type { Exchange } from './exchange-log.ts'
import { html, type Html } from '../site/html.ts'
import { page, time } from '../site/page.ts'
import { toReasonPhrase } from '../http/errors/http-error.ts'
import { toCurl, toFetch, toHttpie } from './commands.ts'
import { toFields, toRequestHead, toResponseHead } from './message-head.ts'

export function inspectorPage(): Html {
  return page({
    title: 'Request inspector',
    main: html`<p>Every response has an exchange id in its <code>Server-Timing</code> header. Open
<code>/inspector/</code> followed by that id to see the request line and headers, the status and
response headers, the method before and after an override, how the representation was chosen, and
commands that repeat the request.</p>
<p>With JavaScript, every page shows its own exchange at the bottom. With curl, read the id first:</p>
<pre tabindex="0"><code>curl -si -H 'Accept: text/html' localhost:3000/users | grep -i server-timing</code></pre>
<p>The server stores the last 500 exchanges of browsers and of clients that accept HTML, in memory and
without bodies. Cookies and credentials are masked. The ids cannot be guessed.</p>`,
  })
}

/** The panel of other pages shows the `data-exchange` part. */
export function exchangePage(exchange: Exchange): Html {
  const { request, response } = exchange
  return page({
    title: `${request.method} ${request.target}`,
    main: html`<div data-exchange>
${facts(exchange)}
<div class="heads">
${head('Request', toRequestHead(exchange))}
${head('Response', toResponseHead(exchange))}
</div>
<h2>Repeat this request</h2>
${command('curl', toCurl(exchange))}${command('fetch', toFetch(exchange))}${command('HTTPie', toHttpie(exchange))}</div>
<p>Received at ${time(exchange.receivedAt)}, status ${response.status}.</p>`,
  })
}

function head(title: string, text: string): Html {
  return html`<section aria-label="${title}"><h2>${title}</h2><pre tabindex="0"><code>${text}</code></pre></section>`
}

function facts({ request, response, negotiation }: Exchange): Html {
  const { status, headers, ms } = response
  const { etag, 'last-modified': lastModified } = headers
  const validators = [etag, lastModified].filter((value) => value !== undefined)
  return html`<dl class="facts">
<dt>Status</dt><dd>${status} ${toReasonPhrase(status) ?? ''}</dd>
<dt>Method</dt><dd>${request.method === request.effectiveMethod ? request.method : html`${request.method}, overridden as <strong>${request.effectiveMethod}</strong>`}</dd>
<dt>Representation</dt><dd>${representation(negotiation, request)}</dd>
<dt>Validators</dt><dd>${validators.length === 0 ? 'none' : validators.map((value) => html`<code>${String(value)}</code> `)}</dd>
<dt>Time</dt><dd>${ms.toFixed(1)} ms</dd>
</dl>`
}

function representation(
  negotiation: Exchange['negotiation'],
  request: Exchange['request'],
): Html | string {
  if (negotiation === undefined) return 'Not negotiated: this URL has one representation.'
  const { chosen, by, offers } = negotiation
  const others = offers.filter((offer) => offer !== chosen).join(', ')
  const also = others === '' ? '' : ` Also available: ${others}.`
  if (chosen === undefined) return `None is acceptable.${also}`
  if (by === 'suffix') return html`<code>${chosen}</code>, chosen by the suffix of the URL.`
  if (by === 'default')
    return html`<code>${chosen}</code>, the default without an Accept header.${also}`
  const [, accept = ''] = toFields(request).find(([name]) => /^accept$/i.test(name)) ?? []
  return html`<code>${chosen}</code>, the best match for <code>Accept: ${accept}</code>.${also}`
}

function command(label: string, text: string): Html {
  return html`<figure class="command"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>
`
}
