import { html } from '../site/html.ts'
import type { Mount } from './dialect.ts'

interface Listed {
  path: string
  methods: readonly string[]
  summary: string
}

/** A page like those of httpbin, without the frame of the site. */
export function renderEndpoints(
  endpoints: readonly Listed[],
  { prefix, dialect }: Pick<Mount, 'prefix' | 'dialect'>,
): string {
  const items = endpoints.map(({ path, methods, summary }) => {
    const isLink = !/[:*]/.test(path) && /GET|\*/.test(methods.join())
    const shown = isLink
      ? html`<a href="${prefix + path}">${path}</a>`
      : path.replaceAll(/:(\w+)(=[^/]*)?/g, '{$1}')
    const method = methods[0] === '*' ? 'any' : methods.join(', ')
    return html`<li><code>${method} ${shown}</code> ${summary}</li>
`
  })
  return html`<!doctype html>
<html lang="en">
<title>${dialect.name}</title>
<h1>${dialect.name}</h1>
<p>The endpoints of ${dialect.title}, served by Vitrine.</p>
<ul>
${items}</ul>
</html>
`.markup
}
