import { html } from '../site/html.ts'
import type { Mount } from './dialect.ts'

interface Listed {
  path: string
  methods: readonly string[]
  summary: string
}

// The policy of these pages allows inline styles only: visitors compose what is below this path.
const style = html`<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; accent-color: #0b6570 }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { margin: 0 }
ul { list-style: none; padding: 0 }
li { padding: 0.4rem 0; border-bottom: 1px solid #8884 }
li code { display: inline-block; min-width: min(26rem, 100%); padding-right: 1rem; overflow-wrap: anywhere }
small { display: block; opacity: 0.75 }
a { color: light-dark(#0b6570, #5ec4c9) }
</style>`

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
    return html`<li><code>${shown}</code>${summary} <small>${method}</small></li>
`
  })
  return html`<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>${dialect.name}</title>
${style}
<h1>${dialect.name}</h1>
<p>The endpoints of ${dialect.title}, served by Vitrine.</p>
<ul>
${items}</ul>
</html>
`.markup
}
