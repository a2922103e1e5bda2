import type { Content, Parameter } from '../../http/openapi/operation.ts'
import { html, type Html } from '../html.ts'
import { exampleToContent, toPartNames } from './example-request.ts'
import { exampleToText, toResponseTypes, type DocsOperation } from './operations.ts'

/** Shown by docs.css only where scripts run. */
export function renderTryForm(operation: DocsOperation): Html {
  const { method, path, parameters, requestBody } = operation
  const isMain = ({ required, in: where }: Parameter) => required === true || where === 'path'
  const optional = parameters.filter((one) => !isMain(one))
  return html`<form class="try" data-method="${method}" data-path="${path}">
<h2>Try it</h2>
${renderBodyFields(requestBody?.content ?? {})}${parameters.filter(isMain).map((one) => renderParameter(one, operation))}${renderAccept(toResponseTypes(operation))}${
    optional.length === 0
      ? ''
      : html`<details><summary>Optional parameters</summary>
${optional.map((one) => renderParameter(one, operation))}</details>
`
  }<p class="actions"><button type="submit">Send ${method}</button></p>
</form>
`
}

/** The example is the value of a required parameter and the placeholder of any other. */
function renderParameter(parameter: Parameter, { idsPath, createId }: DocsOperation): Html {
  const { name, in: where, required = false, example } = parameter
  const text = exampleToText(example)
  const attributes = required ? html`required value="${text}"` : html`placeholder="${text}"`
  const hasIds = idsPath !== undefined && where === 'path'
  const ids = hasIds ? html` list="ids" data-ids="${idsPath}"` : ''
  const create = createId === undefined ? '' : html` <a href="/docs/${createId}">Create one</a>.`
  return html`<div class="field"><label>${name} <span class="quiet">${where}</span><input type="text" name="${name}" data-in="${where}" autocomplete="off" spellcheck="false"${ids} ${attributes}></label>${
    hasIds
      ? html`<datalist id="ids"></datalist>
<p class="quiet" data-part="no-ids" hidden>There are no records yet.${create}</p>`
      : ''
  }</div>
`
}

function renderAccept(types: readonly string[]): Html {
  if (types.length < 2) return html``
  const option = (type: string) =>
    html`<option${type === 'application/json' ? html` selected` : ''}>${type}</option>`
  return html`<div class="field"><label>Accept<select name="Accept" data-in="header">${['*/*', ...types].map(option)}</select></label></div>
`
}

function renderBodyFields(content: Content): Html {
  const { 'multipart/form-data': parts } = content
  if (parts) {
    return html`${toPartNames(parts.schema).map(
      (
        name,
      ) => html`<div class="field"><label>${name} <span class="quiet">file</span><input type="file" name="${name}" data-in="part"></label></div>
`,
    )}`
  }
  const types = Object.entries(content)
  const [first] = types
  if (first === undefined) return html``
  const text = exampleToContent(...first)
  return html`<div class="field"><label>Body<textarea data-in="content" rows="${text.split('\n').length + 1}" spellcheck="false">
${text}</textarea></label></div>
<div class="field"><label>Content-Type<select data-in="type">${types.map(([type, one]) => html`<option data-example="${exampleToContent(type, one)}">${type}</option>`)}</select></label></div>
`
}
