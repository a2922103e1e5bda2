import { html, type Html } from '../html.ts'
import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { type Page } from '../page.ts'
import { toPlace } from './curl.ts'
import { renderOperation, renderProse, renderSchema } from './operation-view.ts'

export function renderDocsPage({ info, tags, components, paths }: OpenApiDocument): Page {
  const places = Object.entries(paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([method, operation]) => toPlace(path, method, operation)),
  )
  return {
    title: 'Documentation',
    scripts: ['try-it-out.js'],
    main: html`${renderProse(String(info.description))}
<p>Also available as JSON: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<nav class="toc" aria-label="Demos">${tags.map(({ name }) => html`<a href="#demo-${name}">${name}</a> `)}<a href="#schemas">schemas</a></nav>
${tags.map(
  ({ name, description }) => html`<section class="docs" aria-labelledby="demo-${name}">
<h2 id="demo-${name}">${name}</h2>
${renderProse(description)}
${places.filter((place) => place.tags.includes(name)).map(renderOperation)}</section>
`,
)}<section class="docs" aria-labelledby="schemas">
<h2 id="schemas">schemas</h2>
${Object.entries(components.schemas ?? {}).map(
  ([name, schema]) => html`<details id="schema-${name}"><summary>${name}</summary>
${renderSchema(schema)}
</details>
`,
)}</section>`,
  }
}
