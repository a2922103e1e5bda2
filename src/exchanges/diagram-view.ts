import { formatDuration } from '../site/assets/size.js'
import { renderMethod } from '../site/highlight.ts'
import { html, type Html } from '../site/html.ts'
import { findField, type Exchange } from './exchange.ts'
import { renderOutcome } from './exchange-view.ts'

const heads = { request: 'M-7-4 0 0l-7 4', response: 'M7-4 0 0l7 4' }

/** The size of the head of an arrow stays the same, whatever its length is. */
function renderArrow(side: keyof typeof heads): Html {
  return html`<svg class="arrow" height="9" aria-hidden="true"><line x2="100%" y1="4.5" y2="4.5"/><svg x="${side === 'request' ? '100%' : '1'}" y="4.5" overflow="visible"><path d="${heads[side]}"/></svg></svg>`
}

/** A sequence diagram of exchanges, oldest first: a list in which each arrow is a line. Scripts choose the exchange that is shown below it. */
export function renderDiagram(
  chain: readonly Exchange[],
  { toUrl, shown }: { toUrl: (id: string) => string; shown: string },
): Html {
  const isBrowser = chain.some(({ requestFields }) => findField(requestFields, 'sec-fetch-mode'))
  return html`<p class="ends" aria-hidden="true"><span>${isBrowser ? 'Browser' : 'Client'}</span><span>Server</span></p>
<ol class="diagram" aria-label="Requests and responses of this chain, in their order">
${chain.map((one, index) => {
  const current = one.id === shown ? html` aria-current="true"` : ''
  const cause = findCause(one, chain[index + 1])
  return html`<li><a href="${toUrl(one.id)}"${current}><span>${renderMethod(one.method)} <code>${one.target}</code> ${renderRequestCause(one)}${renderArrow('request')}</span>
<span>${renderArrow('response')}${renderOutcome(one)} <span class="quiet">${formatDuration(one.ms)}</span>${cause === undefined ? '' : html` <code>${cause}</code>`}</span></a></li>\n`
})}</ol>
`
}

/** The header of the request that makes it another one than before. */
function renderRequestCause({ requestFields, idempotencyKey }: Exchange): Html {
  const names = ['authorization', 'if-match', 'access-control-request-method']
  const name =
    idempotencyKey === undefined
      ? names.find((one) => findField(requestFields, one))
      : 'idempotency-key'
  if (name === undefined) return html``
  return html`<code>${name}: ${findField(requestFields, name) ?? ''}</code> `
}

/** Finds the header of the response that caused the next request. */
function findCause(one: Exchange, next: Exchange | undefined): string | undefined {
  const { status, location, isPreflight, step } = one
  const names = [
    ...(location === undefined ? [] : ['location']),
    ...(isPreflight ? ['access-control-allow-methods', 'access-control-allow-origin'] : []),
    ...(status === 401 ? ['www-authenticate'] : []),
    ...(status === 412 || (next && findField(next.requestFields, 'if-match')) ? ['etag'] : []),
    ...(step === undefined ? [] : ['retry-after']),
    'idempotency-replayed',
  ]
  const name = names.find((known) => findField(one.responseFields, known) !== undefined)
  return name && `${name}: ${findField(one.responseFields, name) ?? ''}`
}
