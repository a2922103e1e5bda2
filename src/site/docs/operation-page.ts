import { isReference, resolve } from '../../http/openapi/component.ts'
import type { Content, MediaType, ResponseDoc, Schema } from '../../http/openapi/operation.ts'
import { findProblemSlug } from '../../http/errors/problem-types.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import { codeBlock } from '../highlight.ts'
import { html, type Html } from '../html.ts'
import { exampleToContent, toExampleRequest } from './example-request.ts'
import { renderFields, renderParameters, renderRow, renderTable } from './fields-table.ts'
import type { DocsOperation } from './operations.ts'
import { renderPhrases, renderProse } from './prose.ts'
import { samples } from './samples.ts'
import { renderTryForm } from './try-form.ts'

export function renderOperation(
  operation: DocsOperation,
  variants: readonly DocsOperation[],
  origin: string,
): Html {
  const { description, parameters, requestBody, security } = operation
  return html`<p class="line endpoint">${renderMethod(operation.method)} <code>${operation.path}</code></p>
${description === undefined ? '' : renderProse(description)}${renderVariants(variants)}${
    security
      ? html`<p>Uses the cookie of a session. <a href="/login">Log in</a> to get one.</p>\n`
      : ''
  }<div class="request">
${renderTryForm(operation)}${renderSamples(operation, origin)}</div>
<div class="result" role="status" hidden></div>
${parameters.length === 0 ? '' : html`<h2>Parameters</h2>\n${renderParameters(parameters)}`}${
    requestBody ? html`<h2>Body</h2>\n${renderContent(requestBody.content)}` : ''
  }${renderResponses(operation)}`
}

export function renderMethod(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

function renderVariants(variants: readonly DocsOperation[]): Html {
  if (variants.length === 0) return html``
  const links = variants.map(
    ({ operationId, path }) =>
      html` <a href="/docs/${operationId}"><code>${/\.\w+$/.exec(path)?.[0] ?? path}</code></a>`,
  )
  return html`<p>A suffix selects the media type, whatever Accept is:${links}</p>\n`
}

function renderSamples(operation: DocsOperation, origin: string): Html {
  const request = toExampleRequest(operation, origin)
  const sample = ([name, toSample]: [string, (typeof samples)[string]]) =>
    html`<details><summary>${name}</summary>
${codeBlock(toSample(request), 'code')}
</details>
`
  return html`<section class="samples" aria-labelledby="samples">
<h2 id="samples">Request samples</h2>
${Object.entries(samples).map(sample)}</section>
`
}

function renderContent(content: Content): Html {
  let known = ''
  const types = Object.entries(content)
  // JSON first: its schema has the fields.
  const shown = types.filter(isShown).toSorted((one, other) => rankType(other) - rankType(one))
  const others = types.filter((one) => !isShown(one))
  const parts = shown.map(([type, one], index) => {
    const fields = one.schema ? renderFields(one.schema) : html``
    const isKnown = fields.markup === known
    known ||= fields.markup
    const sides = renderSides(isKnown ? html`` : fields, type, one)
    if (index === 0) return html`<p><code>${type}</code></p>\n${sides}`
    return html`<details><summary><code>${type}</code></summary>\n${sides}</details>\n`
  })
  const names = others.map(([type]) => html` <code>${type}</code>`)
  return html`${parts}${names.length > 0 ? html`<p>${shown.length > 0 ? 'Also:' : ''}${names}</p>\n` : ''}`
}

function isShown([, { schema, example }]: [string, MediaType]): boolean {
  return example !== undefined || (schema !== undefined && renderFields(schema).markup !== '')
}

function rankType([type]: [string, MediaType]): number {
  return type === 'application/json' ? 1 : 0
}

function renderSides(fields: Html, type: string, one: MediaType): Html {
  const { schema, example } = one
  const language = type.endsWith('json') ? 'json' : 'code'
  const block =
    example === undefined
      ? ''
      : html`<div><p class="quiet">Example</p>${codeBlock(exampleToContent(type, one), language)}</div>\n`
  if (fields.markup === '' || schema === undefined) return html`<div class="sides">${block}</div>\n`
  return html`<div class="sides"><div>${fields}<details><summary>JSON Schema</summary>
<pre tabindex="0"><code>${JSON.stringify(toPlain(schema), undefined, 2)}</code></pre>
</details></div>
${block}</div>
`
}

/** The schema with the definitions in place of references. */
function toPlain(schema: Schema): unknown {
  return JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) =>
      typeof value === 'object' && value !== null ? resolve(value) : value,
    ),
  )
}

function renderResponses({ responses }: DocsOperation): Html {
  const all = Object.entries(responses)
  // The error responses are components.
  const errors = all.filter(([, response]) => isReference(response))
  return html`<h2>Responses</h2>
${all.map(([status, response]) => (isReference(response) ? '' : renderResponse(status, response)))}<h2>Errors</h2>
<p>Each links to its explanation.</p>
<ul class="chips">${errors.map(([status]) => renderErrorLink(Number(status)))}</ul>
`
}

function renderStatus(status: string, text = ''): Html {
  return html`<span class="status s${status.charAt(0)}">${status}</span> ${text}`
}

function renderResponse(status: string, { description, headers = {}, content }: ResponseDoc): Html {
  const rows = Object.entries(headers).map(([name, header]) =>
    renderRow(name, false, { kind: '', description: resolve(header).description }),
  )
  return html`<section class="response-doc">
<h3>${renderStatus(status, STATUS_CODES[status] ?? '')}</h3>
<p>${renderPhrases(description)}</p>
${renderContent(content ?? {})}${rows.length === 0 ? '' : html`<details><summary>Headers</summary>\n${renderTable(rows)}</details>\n`}</section>
`
}

function renderErrorLink(status: number): Html {
  const slug = findProblemSlug(status) ?? ''
  return html`<li><a href="/problems/${slug}">${renderStatus(String(status), STATUS_CODES[status])}</a></li>\n`
}
