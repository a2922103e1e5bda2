import { html, type Html } from '../html.ts'
import { resolve } from '../../http/openapi/document.ts'
import type { ResponseDoc, Parameter, Schema } from '../../http/openapi/operation.ts'
import { findProblemSlug } from '../../http/errors/problem-types.ts'
import { toReasonPhrase } from '../../http/errors/http-error.ts'
import { parametersOf, toCurl, fieldToText, type Place } from './curl.ts'
import { phrases, prose } from './prose.ts'
import { mediaTypeView } from './schema-view.ts'
import { tryForm } from './try-form.ts'

/** One operation in a closed details element. */
export function operationView(place: Place, origin: string): Html {
  const { method, path, operation } = place
  const { operationId, summary, description } = operation
  return html`<details class="operation" id="${operationId}">
<summary><b>${method.toUpperCase()}</b> <code>${path}</code> <span>${summary}</span></summary>
${description === undefined ? '' : prose(description)}<pre><code>${toCurl(place, origin)}</code></pre>
${parametersView(parametersOf(place))}${contentView(place)}${responsesView(place)}${tryForm(place)}</details>
`
}

function parametersView(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return html``
  return html`<h3>Parameters</h3>
<dl>
${parameters.map(
  ({ name, in: where, required = false, description, schema, example }) =>
    html`<dt><code>${name}</code></dt><dd>${phrases(description)} <small>${where}, ${toKind(schema)}${required ? ', required' : ''}${example === undefined ? '' : html`; for example <code>${fieldToText(example)}</code>`}</small></dd>
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

/** `integer from 1 to 1000` */
function toKind(schema: Schema): string {
  const { type = 'any', minimum, maximum, items }: KnownSchema = schema
  if (items) return `list of ${toKind(items)}s`
  const from = minimum === undefined ? '' : ` from ${String(minimum)}`
  return `${type}${from}${maximum === undefined ? '' : ` to ${String(maximum)}`}`
}

function contentView({ operation: { requestBody } }: Place): Html {
  if (requestBody === undefined) return html``
  return html`<h3>Body</h3>
${Object.entries(requestBody.content).map(([type, one]) => mediaTypeView(type, one))}`
}

function responsesView({ document, operation: { responses } }: Place): Html {
  const [errors, successes] = [true, false].map((isError) =>
    Object.entries(responses).filter(([, response]) => '$ref' in response === isError),
  )
  return html`<h3>Responses</h3>
<dl>
${(successes ?? []).map(([status, response]) => responseView(status, resolve(document, response)))}</dl>
<h3>Errors</h3>
<p class="errors">${(errors ?? []).map(([status]) => errorLink(Number(status)))}</p>
`
}

function responseView(
  status: string,
  { description, headers = {}, content = {} }: ResponseDoc,
): Html {
  const names = Object.keys(headers)
  const fields = html`<p><small>Headers: ${names.join(', ')}.</small></p>\n`
  return html`<dt>${status}</dt><dd><p>${phrases(description)}</p>
${names.length === 0 ? '' : fields}${Object.entries(content).map(([type, one]) => mediaTypeView(type, one))}</dd>
`
}

function errorLink(status: number): Html {
  const slug = findProblemSlug(status) ?? ''
  return html`<a href="/problems/${slug}">${status}&nbsp;${toReasonPhrase(status) ?? ''}</a> `
}
