import { html, type Html } from '../html.ts'
import { isObject } from '../../http/request/parameters.ts'
import { isReference } from '../../http/openapi/component.ts'
import type {
  Content,
  MediaType,
  ResponseDoc,
  Parameter,
  Schema,
} from '../../http/openapi/operation.ts'
import { findProblemSlug } from '../../http/errors/problem-types.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import { exampleToText, toPartNames, toResponseTypes, toCurl, type Place } from './curl.ts'

export function renderOperation(place: Place): Html {
  const { method, path, operationId, summary, description, parameters, requestBody } = place
  return html`<details class="operation" id="${operationId}">
<summary><b>${method}</b> <code>${path}</code> <span>${summary}</span></summary>
${description === undefined ? '' : renderProse(description)}<pre><code>${toCurl(place)}</code></pre>
${renderParameters(parameters)}${requestBody ? html`<h3>Body</h3>\n${renderContent(requestBody.content)}` : ''}${renderResponses(place)}${renderRequestForm(place)}</details>
`
}

function renderParameters(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return html``
  return html`<h3>Parameters</h3>
<dl>
${parameters.map(
  ({ name, in: where, required = false, description, schema, example }) =>
    html`<dt><code>${name}</code></dt><dd>${renderPhrases(description)} <small>${where}, ${schemaToKind(schema)}${required ? ', required' : ''}${example === undefined ? '' : html`; for example <code>${exampleToText(example)}</code>`}</small></dd>
`,
)}</dl>
`
}

interface KnownSchema {
  type?: string
  minimum?: number
  maximum?: number
  items?: Schema
}

function schemaToKind(schema: Schema): string {
  const { type = 'any', minimum, maximum, items }: KnownSchema = schema
  if (items) return `list of ${schemaToKind(items)}s`
  const from = minimum === undefined ? '' : ` from ${String(minimum)}`
  return `${type}${from}${maximum === undefined ? '' : ` to ${String(maximum)}`}`
}

function renderContent(content: Content = {}): Html {
  return html`${Object.entries(content).map(([type, one]) => renderMediaType(type, one))}`
}

function renderResponses({ responses }: Place): Html {
  const all = Object.entries(responses)
  // The error responses are components.
  return html`<h3>Responses</h3>
<dl>
${all.map(([status, response]) => (isReference(response) ? '' : renderResponse(status, response)))}</dl>
<h3>Errors</h3>
<p class="errors">${all.map(([status, response]) => (isReference(response) ? renderErrorLink(Number(status)) : ''))}</p>
`
}

function renderResponse(status: string, { description, headers = {}, content }: ResponseDoc): Html {
  const names = Object.keys(headers).join(', ')
  return html`<dt>${status}</dt><dd><p>${renderPhrases(description)}</p>
${names && html`<p><small>Headers: ${names}.</small></p>\n`}${renderContent(content)}</dd>
`
}

function renderErrorLink(status: number): Html {
  const slug = findProblemSlug(status) ?? ''
  return html`<a href="/problems/${slug}">${status}&nbsp;${STATUS_CODES[status] ?? ''}</a> `
}

export function renderSchema(schema: Schema): Html {
  const parts = JSON.stringify(schema, undefined, 2).split(/"#\/components\/schemas\/(\w+)"/)
  return html`<pre><code>${parts.map((part, index) =>
    index % 2 === 0 ? part : html`<a href="#schema-${part}">${part}</a>`,
  )}</code></pre>`
}

function renderMediaType(type: string, { schema, example }: MediaType): Html {
  const isPlain = schema === undefined || JSON.stringify(schema) === '{"type":"string"}'
  if (isPlain && example === undefined) return html`<p><code>${type}</code></p>\n`
  const shown = typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)
  return html`<details><summary><code>${type}</code></summary>
${isPlain ? '' : renderSchema(schema)}${example === undefined ? '' : html`\n<p>Example</p>\n<pre><code>${shown}</code></pre>`}
</details>
`
}

export function renderProse(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${renderPhrases(paragraph)}</p>\n`)}`
}

function renderPhrases(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part
  })}`
}

function renderRequestForm(place: Place): Html {
  const { method, path, parameters, requestBody } = place
  return html`<form class="request" data-method="${method}" data-path="${path}" hidden>
<h3>Try it</h3>
${parameters.map(renderParameterInput)}${renderAcceptInput(toResponseTypes(place))}${renderContentInput(requestBody?.content ?? {})}<p class="actions"><button type="submit">Send ${method}</button></p>
<pre class="response" role="status" hidden></pre>
</form>
`
}

/** The example is the value of a required parameter and the placeholder of any other. */
function renderParameterInput({ name, in: where, required = false, example }: Parameter): Html {
  const text = exampleToText(example)
  const attributes = required ? html`required value="${text}"` : html`placeholder="${text}"`
  return html`<label>${name} <input type="text" name="${name}" data-in="${where}" autocomplete="off" ${attributes}></label>
`
}

function renderAcceptInput(types: readonly string[]): Html {
  if (types.length < 2) return html``
  return html`<label>Accept <select name="Accept" data-in="header"><option value="*/*">*/*</option>${types.map((type) => html`<option value="${type}">${type}</option>`)}</select></label>
`
}

function renderContentInput(content: Content): Html {
  const { 'multipart/form-data': parts } = content
  if (parts) {
    return html`${toPartNames(parts.schema).map(
      (name) => html`<label>${name} <input type="file" name="${name}" data-in="part"></label>
`,
    )}`
  }
  if (Object.keys(content).length === 0) return html``
  return html`<label>Content-Type <select data-in="type">${Object.entries(content).map(([type, one]) => html`<option value="${type}" data-example="${exampleToContent(type, one)}">${type}</option>`)}</select></label>
<label>Body <textarea data-in="content" rows="6" spellcheck="false"></textarea></label>
`
}

function exampleToContent(type: string, { example }: MediaType): string {
  if (type !== 'application/x-www-form-urlencoded') return exampleToText(example)
  const pairs = isObject(example) ? Object.entries(example) : []
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
}
