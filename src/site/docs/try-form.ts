import type { Content, MediaType, Parameter } from '../../http/openapi/operation.ts'
import { renderComposer, type BodyChoice } from '../composer.ts'
import { html, type Html } from '../html.ts'
import {
  exampleToContent,
  exampleToText,
  toExampleTarget,
  toPartNames,
  toResponseTypes,
  type DocsOperation,
} from './operations.ts'

/** Shown only where scripts run. */
export function renderTryForm(operation: DocsOperation): Html {
  const { method, path, parameters, requestBody: { content } = { content: {} } } = operation
  const isMain = ({ required, in: where }: Parameter) => required === true || where === 'path'
  const main = parameters.filter(isMain)
  const optional = parameters.filter((one) => !isMain(one))
  const render = (one: Parameter) => renderParameter(one, operation)
  const { 'multipart/form-data': parts } = content
  const fields = html`${parts ? renderFiles(parts) : ''}${main.map(render)}${
    optional.length === 0
      ? ''
      : html`<details><summary>Optional parameters</summary>
${optional.map(render)}</details>
`
  }`
  const types = toResponseTypes(operation)
  const accept = types.includes('application/json') ? 'application/json' : '*/*'
  const accepts = ['*/*', ...types]
  const ofQuery = main.filter((one) => one.in === 'query')
  const target = toExampleTarget(path, parameters, ofQuery)
  const request = { method, path, target, accept, accepts, bodies: toBodies(content) }
  return html`<div>
<h2 class="scripted">Try it</h2>
${renderComposer(request, { fields: fields.markup === '' ? undefined : fields })}</div>
`
}

/** A form with files comes first. */
function toBodies(content: Content): readonly BodyChoice[] | undefined {
  const all = Object.entries(content).map(([type, one]) => {
    const text = type === 'multipart/form-data' ? '' : exampleToContent(type, one)
    return { type, text }
  })
  const isForm = ({ type }: BodyChoice) => type === 'multipart/form-data'
  return all.length > 0 ? [...all.filter(isForm), ...all.filter((one) => !isForm(one))] : undefined
}

function renderFiles({ schema }: MediaType): readonly Html[] {
  const control = (name: string) => html`<input type="file" name="${name}">`
  return toPartNames(schema).map((name) =>
    renderField({ label: name, where: 'file', control: control(name) }),
  )
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
  const control = html`<input type="text" data-in="${where}" data-name="${name}" spellcheck="false"${hasIds ? html` data-ids="${idsUrl}"` : ''} ${attributes}>`
  const create = html`<p class="quiet">No record yet? <a href="/docs/${createId ?? ''}">Create one</a>.</p>`
  const note = hasIds && createId !== undefined ? create : ''
  return renderField({ label: name, where, control, note })
}
