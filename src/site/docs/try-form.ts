import type { Content, Parameter } from '../../http/openapi/operation.ts'
import { html, type Html } from '../html.ts'
import {
  exampleToContent,
  exampleToText,
  toPartNames,
  toResponseTypes,
  type DocsOperation,
} from './operations.ts'

/** Shown by docs.css only where scripts run. */
export function renderTryForm(operation: DocsOperation): Html {
  const { method, path, parameters, requestBody: { content } = { content: {} } } = operation
  const isMain = ({ required, in: where }: Parameter) => required === true || where === 'path'
  const optional = parameters.filter((one) => !isMain(one))
  const render = (one: Parameter) => renderParameter(one, operation)
  return html`<form class="try"${'multipart/form-data' in content ? html` enctype="multipart/form-data"` : ''} data-request="${JSON.stringify({ method, path })}">
<h2>Try it</h2>
${renderBodyFields(content)}${parameters.filter(isMain).map(render)}${renderAccept(toResponseTypes(operation))}${
    optional.length === 0
      ? ''
      : html`<details><summary>Optional parameters</summary>
${optional.map(render)}</details>
`
  }<p class="actions"><button type="submit">Send ${method}</button></p>
</form>
`
}

interface TryField {
  label: string
  where?: string
  control: Html
  note?: Html | ''
}

function renderField({ label, where = '', control, note = '' }: TryField): Html {
  return html`<div class="field"><label>${label} <span class="quiet">${where}</span>${control}</label>${note}</div>\n`
}

function renderParameter(parameter: Parameter, { idsUrl, createId }: DocsOperation): Html {
  const { name, in: where, required = false, example } = parameter
  const text = exampleToText(example)
  const attributes = required ? html`required value="${text}"` : html`placeholder="${text}"`
  const hasIds = idsUrl !== undefined && where === 'path'
  const control = html`<input type="text" data-in="${where}" data-name="${name}" autocomplete="off" spellcheck="false"${hasIds ? html` data-ids="${idsUrl}"` : ''} ${attributes}>`
  const create = html`<p class="quiet">No record yet? <a href="/docs/${createId ?? ''}">Create one</a>.</p>`
  const note = hasIds && createId !== undefined ? create : ''
  return renderField({ label: name, where, control, note })
}

function renderAccept(types: readonly string[]): Html {
  if (types.length < 2) return html``
  const option = (type: string) =>
    html`<option${type === 'application/json' ? html` selected` : ''}>${type}</option>`
  const options = ['*/*', ...types].map(option)
  const control = html`<select data-in="header" data-name="Accept">${options}</select>`
  return renderField({ label: 'Accept', control })
}

function renderBodyFields(content: Content): Html {
  const { 'multipart/form-data': parts } = content
  if (parts) {
    const control = (name: string) => html`<input type="file" name="${name}">`
    return html`${toPartNames(parts.schema).map((name) => renderField({ label: name, where: 'file', control: control(name) }))}`
  }
  const types = Object.entries(content)
  const [first] = types
  if (first === undefined) return html``
  const text = exampleToContent(...first)
  const options = types.map(
    ([type, one]) => html`<option data-example="${exampleToContent(type, one)}">${type}</option>`,
  )
  const rows = text.split('\n').length + 1
  const body = html`<textarea data-in="body" rows="${rows}" spellcheck="false">\n${text}</textarea>`
  const select = html`<select data-in="type">${options}</select>`
  return html`${renderField({ label: 'Body', control: body })}${renderField({ label: 'Content-Type', control: select })}`
}
