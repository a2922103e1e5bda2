import { html } from '../../site/html.ts'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { findMethods, forOnly, toEndpoint, type Endpoint } from '../endpoint.ts'
import { renderOwnPage } from '../render.ts'

/** At the prefix. At the root, the home page is in its place. */
export function toIndexEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  return toEndpoint('/', 'List the endpoints', (request) => renderIndex(request, endpoints), {
    methods: forOnly('GET'),
    file: 'src/httpbin/endpoints/index-page.ts',
  })
}

function renderIndex({ prefix, dialect }: BinRequest, endpoints: readonly Endpoint[]): BinResponse {
  const { name, title } = dialect
  const items = endpoints.flatMap((endpoint) => {
    const { path, summary } = endpoint
    const methods = findMethods(endpoint, dialect)
    if (methods.length === 0) return []
    const filled = path.replaceAll(/:(\w+)/g, '{$1}')
    const isLink = !/[:*]/.test(path) && /GET|\*/.test(methods.join())
    const shown = isLink ? html`<a href="${prefix + path}">${path}</a>` : html`${filled}`
    const method = methods[0] === '*' ? 'any' : methods.join(', ')
    return html`<li><code>${method} ${shown}</code> ${summary}</li>
`
  })
  const page = html`<!doctype html>
<html lang="en">
<title>${name}</title>
<h1>${name}</h1>
<p>The endpoints of ${title}, served by Vitrine.</p>
<ul>
${items}</ul>
</html>
`
  return renderOwnPage(page.markup)
}
