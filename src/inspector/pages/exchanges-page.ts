import { html } from '../../site/html.ts'
import type { Page } from '../../site/page.ts'
import { renderDiagram } from '../../exchanges/diagram-view.ts'
import { renderExchange } from '../../exchanges/exchange-view.ts'
import type { Exchange } from '../../exchanges/exchange.ts'

export const inspectorPage = ['/inspector', 'Request inspector'] as const

export const toUrl = (id: string) => `/inspector/${id}`

/** Scripts show the part `chain` on other pages. */
export function renderExchangesPage(
  title: string,
  exchanges: readonly Exchange[],
  chain: readonly Exchange[] = exchanges,
): Page {
  const shown = exchanges.at(-1)?.id ?? ''
  return {
    title,
    back: inspectorPage,
    styles: ['inspector.css'],
    scripts: ['inspector.js'],
    main: html`<div data-part="chain">
${chain.length < 2 ? '' : renderDiagram(chain, { toUrl, shown })}${exchanges.map((exchange) =>
      renderExchange(exchange, { links: renderExports(toUrl(exchange.id)) }),
    )}</div>`,
  }
}

function renderExports(url: string) {
  return html`<p class="actions"><a class="button second small" href="${url}.har">Export as HAR</a>
<a class="button second small" href="${url}.http">Export as message/http</a></p>
`
}
