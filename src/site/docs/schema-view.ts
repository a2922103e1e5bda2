import { html, type Html } from '../html.ts'
import type { MediaType, Schema } from '../../http/openapi/operation.ts'

export function schemaView(schema: Schema): Html {
  const parts = JSON.stringify(schema, undefined, 2).split(/"#\/components\/schemas\/(\w+)"/)
  return html`<pre><code>${parts.map((part, index) =>
    index % 2 === 0 ? part : html`<a href="#${toAnchor(part)}">${part}</a>`,
  )}</code></pre>`
}

export function toAnchor(schemaName: string): string {
  return `schema-${schemaName}`
}

export function mediaTypeView(type: string, { schema, example }: MediaType): Html {
  const isPlain = schema === undefined || JSON.stringify(schema) === '{"type":"string"}'
  if (isPlain && example === undefined) return html`<p><code>${type}</code></p>\n`
  const shown = typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
  return html`<details><summary><code>${type}</code></summary>
${isPlain ? '' : schemaView(schema)}${example === undefined ? '' : html`\n<p>Example</p>\n<pre><code>${shown}</code></pre>`}
</details>
`
}
