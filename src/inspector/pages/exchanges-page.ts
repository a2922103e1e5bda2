import { renderMethod } from '../../site/highlight.ts'
import { html, type Html } from '../../site/html.ts'
import type { Page } from '../../site/page.ts'
import { renderExchange, renderOutcome } from '../../exchanges/exchange-view.ts'
import type { Exchange, ExchangeSummary } from '../../exchanges/exchange.ts'

export const inspectorPage = ['/inspector', 'Request inspector'] as const

export const toUrl = (id: string) => `/inspector/${id}`

/** Scripts show the `data-exchange` parts on other pages. */
export function renderExchangesPage(
  title: string,
  exchanges: readonly Exchange[],
  chain: readonly ExchangeSummary[] = [],
): Page {
  return {
    title,
    back: inspectorPage,
    styles: ['inspector.css'],
    scripts: ['inspector.js'],
    main: html`${chain.length < 2 ? '' : renderChain(chain, exchanges)}${exchanges.map((exchange) =>
      renderExchange(exchange, { links: renderExports(toUrl(exchange.id)) }),
    )}`,
  }
}

function renderChain(chain: readonly ExchangeSummary[], shown: readonly Exchange[]): Html {
  return html`<ol class="chain" aria-label="Redirects and preflights of this request">
${chain.map((one) => {
  const isShown = shown.some(({ id }) => id === one.id)
  return html`<li><a href="${toUrl(one.id)}"${isShown ? html` aria-current="page"` : ''}>${renderMethod(one.method)} <code>${one.target}</code> ${renderOutcome(one)}</a></li>\n`
})}</ol>
`
}

function renderExports(url: string): Html {
  return html`<p class="actions"><a class="button second small" href="${url}.har">Export as HAR</a>
<a class="button second small" href="${url}.http">Export as message/http</a></p>
`
}
