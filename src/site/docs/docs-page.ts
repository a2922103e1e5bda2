import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { renderCodeBlock, renderMethod } from '../highlight.ts'
import { html, type Html } from '../html.ts'
import { renderPage, type Page, type PagePlace } from '../page.ts'
import { renderPhrases, renderProse } from '../prose.ts'
import { originMark } from './info.ts'
import { renderOperation } from './operation-page.ts'
import { toOperations, type DocsOperation } from './operations.ts'

export type DocsContents = ReturnType<typeof toContents>

export function toContents(document: OpenApiDocument, titles: ReadonlyMap<string, string>) {
  const operations = toOperations(document)
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    title: titles.get(name) ?? 'Service',
    // A suffix is documented with its operation.
    operations: operations.filter(
      ({ variantOf, tags }) => variantOf === undefined && tags.includes(name),
    ),
  }))
  const introduction = String(document.info.description)
  return { operations, groups, introduction }
}

export function toOverview({ groups, introduction }: DocsContents, origin: string): Page {
  const [lead = '', ...paragraphs] = introduction.split('\n\n')
  const main = html`<p class="lead">${lead} Every operation has its own page, with samples and a form to send it.</p>
${renderCodeBlock(`curl '${origin}/health'`, 'code')}
<p>Also available as JSON: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<h2>Conventions</h2>
<div class="conventions">${paragraphs.map((text) => html`<p>${renderPhrases(text)}</p>\n`)}</div>
${groups.map(
  ({ name, title, description, operations }) => html`<section aria-labelledby="demo-${name}">
<h2 id="demo-${name}">${title}</h2>
${renderProse(description)}<ul class="operations">
${operations.map(
  ({ operationId, method, path, summary }) =>
    html`<li><a href="/docs/${operationId}">${renderMethod(method)} <code>${path}</code> <span>${summary}</span></a></li>
`,
)}</ul>
</section>
`,
)}`
  return toPage('Documentation', withSidebar(groups, main), ['docs.js'])
}

export function toOperationPage(
  { operations, groups }: DocsContents,
  id: string,
  origin: string,
): Page | undefined {
  const operation = operations.find(({ operationId }) => operationId === id)
  if (!operation) return undefined
  const variants = operations.filter(({ variantOf }) => variantOf === id)
  const main = renderOperation(operation, variants, origin)
  const { summary, method, path } = operation
  return {
    ...toPage(summary, withSidebar(groups, main, operation), ['docs.js', 'send.js']),
    title: `${summary} · Documentation`,
    description: `${method} ${path}: parameters, responses, samples in five languages, and a form to send it.`,
  }
}

export function renderForOrigin(place: PagePlace, page: Page, origin: string): string {
  return renderPage(place, page).replaceAll(originMark, html`${origin}`.markup)
}

function toPage(heading: string, main: Html, scripts: readonly string[]): Page {
  return { title: heading, heading, main, styles: ['composer.css', 'docs.css'], scripts }
}

type Groups = DocsContents['groups']

function withSidebar(groups: Groups, main: Html, current?: DocsOperation): Html {
  const marked = current?.variantOf ?? current?.operationId
  const link = ({ operationId, method, summary }: DocsOperation) =>
    html`<li><a href="/docs/${operationId}"${operationId === marked ? html` aria-current="page"` : ''}>${summary} ${renderMethod(method)}</a></li>\n`
  const isOpen = ({ name }: Groups[number]) => current?.tags.includes(name) === true
  return html`<nav class="site-nav docs-nav" id="docs-nav" popover aria-label="Operations">
<div class="field" data-part="search" hidden><label><span class="search-label">Search <kbd>/</kbd></span><input type="search" autocomplete="off" spellcheck="false"></label>
<p class="quiet" role="status"></p></div>
<a href="/docs"${current ? '' : html` aria-current="page"`}>Overview</a>
${groups.map(
  (group) => html`<details${isOpen(group) ? html` open` : ''}><summary>${group.title}</summary>
<ul>
${group.operations.map(link)}</ul>
</details>
`,
)}</nav>
<div class="docs">
<p class="actions docs-menu"><button type="button" class="second" popovertarget="docs-nav">Operations</button></p>
${main}</div>`
}
