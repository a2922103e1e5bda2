import { isReference, resolve } from '../../http/openapi/component.ts'
import type { Content, MediaType, ResponseDoc } from '../../http/openapi/operation.ts'
import { findProblemSlug } from '../../http/errors/problem-types.ts'
import { renderCodeBlock, renderCommand, renderMethod } from '../highlight.ts'
import { html, Html } from '../html.ts'
import { renderStatus } from '../page.ts'
import { renderPhrases, renderProse } from '../prose.ts'
import { renderFields, renderParameters, renderRow, renderTable } from './fields-table.ts'
import { exampleToContent, toExampleRequest, type DocsOperation } from './operations.ts'
import { samples } from '../commands/code.ts'
import { renderTryForm } from './try-form.ts'

export function renderOperation(
  operation: DocsOperation,
  variants: readonly DocsOperation[],
  origin: string,
): Html {
  const { description, parameters, requestBody, security } = operation
  return html`<p class="line endpoint">${renderMethod(operation.method)} <code>${operation.path}</code></p>
${description === undefined ? '' : renderProse(description)}${renderVariants(operation, variants)}${
    security
      ? html`<p>Uses the cookie of a session. <a href="/login">Log in</a> to get one.</p>\n`
      : ''
  }<div class="request">
${renderTryForm(operation)}<div><div class="result" hidden></div>
${renderSamples(operation, origin)}</div></div>
${parameters.length === 0 ? '' : html`<h2>Parameters</h2>\n${renderParameters(parameters)}`}${
    requestBody ? html`<h2>Body</h2>\n${renderContent(requestBody.content)}` : ''
  }${renderResponses(operation)}`
}

function renderVariants(own: DocsOperation, variants: readonly DocsOperation[]): Html {
  const toLink = (id: string, text: string) => html` <a href="/docs/${id}"><code>${text}</code></a>`
  const methods = variants.filter(({ path }) => path === own.path)
  const suffixed = variants.filter(({ path }) => path !== own.path)
  const ofMethods = methods.map(({ operationId, method }) => toLink(operationId, method))
  const ofSuffixes = suffixed.map(({ operationId, path }) =>
    toLink(operationId, /\.\w+$/.exec(path)?.[0] ?? path),
  )
  return html`${methods.length > 0 ? html`<p>Other methods do the same:${ofMethods}</p>\n` : ''}${suffixed.length > 0 ? html`<p>A suffix selects the media type and overrides Accept:${ofSuffixes}</p>\n` : ''}`
}

function renderSamples(operation: DocsOperation, origin: string): Html {
  const request = toExampleRequest(operation, origin)
  const hasValues = operation.parameters.length > 0 || operation.requestBody !== undefined
  return html`<section class="samples" aria-labelledby="samples">
<h2 id="samples">Request samples</h2>
${hasValues ? html`<p class="quiet">The parameters and the body have example values. Put your own values in the path.</p>\n` : ''}<div data-tabs="Language">${Object.entries(samples).map(([name, toSample]) => renderCommand(name, toSample(request)))}</div>
</section>
`
}

function renderContent(content: Content): Html {
  const rank = ([type, { example }]: [string, MediaType]) =>
    type === 'application/json' ? 0 : example === undefined ? 2 : 1
  const types = Object.entries(content).toSorted((one, other) => rank(one) - rank(other))
  let known = ''
  const names: Html[] = []
  const parts = types.map(([type, one], index) => {
    const fields = one.schema ? renderFields(one.schema) : html``
    const sides = renderSides(fields.markup === known ? html`` : fields, type, one)
    known ||= fields.markup
    const name = html`<code>${type}</code>`
    if (index === 0) return html`<p>${name}</p>\n${sides}`
    if (sides.markup === '') names.push(html` ${name}`)
    return sides.markup && html`<details><summary>${name}</summary>\n${sides}</details>\n`
  })
  return html`${parts}${names.length === 0 ? '' : html`<p>Also available:${names}</p>\n`}`
}

function renderSides(fields: Html, type: string, one: MediaType): Html {
  const language = type.endsWith('json') ? 'json' : 'code'
  const sides = [
    fields.markup && html`<div>${fields}</div>\n`,
    one.example !== undefined &&
      html`<div><p class="quiet">Example</p>${renderCodeBlock(exampleToContent(type, one), language)}</div>\n`,
  ].filter((side) => side instanceof Html)
  return sides.length === 0 ? html`` : html`<div class="sides">${sides}</div>\n`
}

function renderResponses({ responses }: DocsOperation): Html {
  const all = Object.entries(responses)
  // The error responses are components.
  const errors = all.filter(([, response]) => isReference(response))
  return html`<h2>Responses</h2>
${all.map(([status, response]) => (isReference(response) ? '' : renderResponse(status, response)))}<h2>Errors</h2>
<p>Each status code links to its explanation.</p>
<ul class="chips">${errors.map(([status]) => renderErrorLink(Number(status)))}</ul>
`
}

function renderResponse(status: string, { description, headers = {}, content }: ResponseDoc): Html {
  const rows = Object.entries(headers).map(([name, header]) =>
    renderRow(name, false, { kind: '', description: resolve(header).description }),
  )
  return html`<section class="response-doc">
<h3>${renderStatus(status)}</h3>
<p>${renderPhrases(description)}</p>
${renderContent(content ?? {})}${rows.length === 0 ? '' : html`<details><summary>Headers</summary>\n${renderTable(rows)}</details>\n`}</section>
`
}

function renderErrorLink(status: number): Html {
  const slug = findProblemSlug(status) ?? ''
  return html`<li><a href="/problems/${slug}">${renderStatus(status)}</a></li>\n`
}
