import { createOperationIds, toTemplate } from '../../http/openapi/document.ts'
import { documentedMethods } from '../../http/openapi/operation.ts'
import type { DeclaredRoute } from '../../http/openapi/route.ts'
import type { Demo } from '../demo.ts'
import { renderMethod } from '../highlight.ts'
import { html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { renderPhrases } from '../prose.ts'
import { renderSample } from '../sample-request.ts'

export function renderDemoPage(
  demo: Demo,
  routes: readonly DeclaredRoute[],
  hasForm: boolean,
): Page {
  const toId = createOperationIds(routes)
  const own = routes.filter(({ tag }) => tag === demo.name)
  const { title, summary, page, samples = [], lookFor, form = '' } = demo
  return {
    title,
    description: summary,
    styles: ['composer.css', 'demo.css'],
    scripts: ['send.js'],
    main: html`<p class="lead">${summary}</p>
${page === undefined ? '' : html`<p class="actions"><a class="button" href="${page}">Open ${title.toLowerCase()}</a></p>\n`}${samples.map(renderSample)}${lookFor ? html`<h2>What to look for</h2>\n<p>${renderPhrases(lookFor)}</p>\n` : ''}${hasForm ? html`<p><a href="${form}">A static page with a form</a> sends the same request.</p>\n` : ''}<h2>Routes</h2>
<section class="table" tabindex="0" aria-label="Routes"><table>
<thead><tr><th scope="col">Method</th><th scope="col">Path</th><th scope="col">Summary</th></tr></thead>
<tbody>
${own.map((route) => renderRoute(route, toId))}</tbody>
</table></section>`,
  }
}

function renderRoute(route: DeclaredRoute, toId: ReturnType<typeof createOperationIds>): Html | '' {
  const { url, summary, config } = route
  const path = toTemplate(url)
  // The files of a folder can only be read: the other methods get 405.
  const methods = config?.hasPath
    ? (['GET'] as const)
    : documentedMethods.filter((one) => [route.method].flat().includes(one))
  const [method = 'GET'] = methods
  // A suffix is another representation of a route that is listed.
  if (config?.mediaType !== undefined) return ''
  const place = url.endsWith('*')
    ? html`<code>${path}</code>`
    : html`<a href="/docs/${toId({ method, path })}"><code>${path}</code></a>`
  return html`<tr><td>${methods.map((one) => html`${renderMethod(one)} `)}</td><td>${place}</td><td>${summary}</td></tr>
`
}
