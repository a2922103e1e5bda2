import { renderComposer, toChipData, type ComposerRequest } from './composer.ts'
import { renderMethod } from './highlight.ts'
import { html, type Html } from './html.ts'

export interface SampleRequest {
  title: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Has `{name}` for each of the parameters. */
  path: string
  parameters?: Readonly<Record<string, string>>
  /** Sent in the query string of a GET, otherwise as a form, which is multipart if there is a file. */
  fields?: Readonly<Record<string, string>>
  file?: string
  /** Any type if unset. */
  accept?: string
  /** Replaces the fields. Only scripts can send it. */
  body?: { type: string; text: string }
  choices?: Readonly<Record<string, string>>
  featured?: string
}

export function toTarget({ method, path, parameters = {}, fields = {} }: SampleRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  )
  const given = Object.entries(fields).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given).toString()
  return method === 'GET' && query !== '' ? `${filled}?${query}` : filled
}

/** What the composer sends for the sample. */
export function toRequest(sample: SampleRequest): ComposerRequest {
  const { method, path, fields = {}, file, accept, body } = sample
  const form = method === 'GET' ? '' : new URLSearchParams(fields).toString()
  const ofForm = file
    ? { type: 'multipart/form-data', text: '' }
    : { type: 'application/x-www-form-urlencoded', text: form }
  const bodies = body || file || form ? [body ?? ofForm] : undefined
  return { method, path, target: toTarget(sample), accept, bodies }
}

export function renderSample(sample: SampleRequest, number: number): Html {
  const { title, method, path, body } = sample
  const id = (name: string) => `sample-${String(number)}-${name.replaceAll(/\W+/g, '-')}`
  const action = body ? undefined : toTarget({ ...sample, fields: {} })
  return html`<section class="try" aria-labelledby="${id('title')}">
<div>
<h2 id="${id('title')}">${title}</h2>
<p class="line unscripted">${renderMethod(method)} <code>${path}</code></p>
${renderChoices(sample)}${renderComposer(toRequest(sample), { action, fields: renderFields(sample, id) })}${body ? html`<noscript><p>Enable JavaScript to send a body of the type <code>${body.type}</code> from this page.</p></noscript>\n` : ''}</div>
<div class="result"><p class="quiet scripted">Send the request to see the exchange here.</p></div>
</section>
`
}

function renderFields(sample: SampleRequest, id: (name: string) => string): Html | undefined {
  const { parameters = {}, fields = {}, file } = sample
  const inPath = (name: string, value: string) =>
    html`<input type="text" id="${id(name)}" data-in="path" data-name="${name}" value="${value}" required>`
  const all = [
    ...Object.entries(parameters).map(([name, value]) =>
      renderField({ id: id(name), label: name, control: inPath(name, value), isScripted: true }),
    ),
    ...Object.entries(fields).map(([name, value]) => renderTextField(id(name), name, value)),
    ...(file ? [renderFileField(id(file), file)] : []),
  ]
  return all.length > 0 ? html`${all}` : undefined
}

export function renderTextField(id: string, name: string, value: string): Html {
  const control = html`<input type="text" id="${id}" name="${name}" value="${value}" dir="auto">`
  return renderField({ id, label: name, control })
}

export function renderFileField(id: string, name: string): Html {
  const control = html`<input type="file" id="${id}" name="${name}" required>`
  return renderField({ id, label: name, control })
}

interface SampleField {
  id: string
  label: string
  control: Html
  /** Only scripts can send it. */
  isScripted?: boolean
}

function renderField({ id, label, control, isScripted = false }: SampleField): Html {
  return html`<p class="field${isScripted ? ' scripted' : ''}"><label for="${id}"><code>${label}</code></label>\n${control}</p>\n`
}

function renderChoices(sample: SampleRequest): Html {
  const { method, parameters, fields, choices } = sample
  if (choices === undefined) return html``
  const key = parameters ? 'parameters' : 'fields'
  const [first = ''] = Object.keys(parameters ?? fields ?? {})
  return html`<ul class="chips${method === 'GET' ? '' : ' scripted'}" aria-label="Values to try">
${Object.entries(choices).map(([label, value]) => {
  const chosen = { ...sample, [key]: { ...sample[key], [first]: value } }
  const data = toChipData(toRequest(chosen))
  return method === 'GET'
    ? html`<li><a href="${toTarget(chosen)}" data-fill="${data}">${label}</a></li>\n`
    : html`<li><button type="button" data-fill="${data}">${label}</button></li>\n`
})}</ul>
`
}
