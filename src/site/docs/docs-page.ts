import { html, type Html } from '../html.ts'
import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { page } from '../page.ts'
import type { Place } from './curl.ts'
import { operationView } from './operation-view.ts'
import { prose } from './prose.ts'
import { schemaView, toAnchor } from './schema-view.ts'

/** A placeholder for the origin of the request. */
export const originMark = '{origin}'

/** The document as a page, grouped by demo. */
export function docsPage(document: OpenApiDocument): Html {
  const { info, tags, components } = document
  return page({
    title: 'Documentation',
    scripts: ['try-it-out.js'],
    main: html`${prose(String(info.description))}
<p>Also available as JSON: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<nav class="toc" aria-label="Demos">${tags.map(({ name }) => html`<a href="#demo-${name}">${name}</a> `)}<a href="#schemas">schemas</a></nav>
${tags.map((tag) => demoView(document, tag))}<section class="docs" aria-labelledby="schemas">
<h2 id="schemas">schemas</h2>
${Object.entries(components.schemas ?? {}).map(
  ([name, schema]) => html`<details id="${toAnchor(name)}"><summary>${name}</summary>
${schemaView(schema)}
</details>
`,
)}</section>`,
  })
}

function demoView(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
) {
  return html`<section class="docs" aria-labelledby="demo-${name}">
<h2 id="demo-${name}">${name}</h2>
${prose(description)}
${listPlaces(document, name).map((place) => operationView(place, originMark))}</section>
`
}

function listPlaces(document: OpenApiDocument, tag: string): readonly Place[] {
  return Object.entries(document.paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ document, method, path, operation })),
  )
}
