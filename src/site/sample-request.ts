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
  /** The Accept of the form on the home page; any type if unset. */
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
  const query = new URLSearchParams(fields).toString()
  return method === 'GET' && query !== '' ? `${filled}?${query}` : filled
}

export function renderSample(sample: SampleRequest, number: number): Html {
  const { title, method, path, file, body } = sample
  const isGet = method === 'GET'
  const id = (name: string) => `sample-${String(number)}-${name.replaceAll(/\W+/g, '-')}`
  return html`<section class="try" aria-labelledby="${id('title')}">
<form method="${isGet ? 'get' : 'post'}" action="${toTarget({ ...sample, fields: {} })}" data-request="${JSON.stringify({ method, path })}"${file ? html` enctype="multipart/form-data"` : ''}>
<h2 id="${id('title')}">${title}</h2>
<p class="line">${renderMethod(method)} <code>${path}</code></p>
${isGet || method === 'POST' ? '' : html`<input type="hidden" name="_method" value="${method}">\n`}${renderControls(sample, id)}${renderChoices(sample)}<p class="actions${body ? ' scripted' : ''}"><button type="submit">Send</button></p>
${body ? html`<noscript><p>Enable JavaScript to send a body of the type <code>${body.type}</code> from this page.</p></noscript>\n` : ''}</form>
<div class="result"><p class="quiet scripted">Send the request to see the exchange here.</p></div>
</section>
`
}

function renderControls(sample: SampleRequest, id: (name: string) => string): Html {
  const { parameters = {}, fields = {}, file, body } = sample
  const inPath = (name: string, value: string) =>
    html`<input type="text" id="${id(name)}" data-in="path" data-name="${name}" value="${value}" required autocomplete="off">`
  return html`${Object.entries(parameters).map(([name, value]) =>
    renderField({ id: id(name), label: name, control: inPath(name, value), isScripted: true }),
  )}${Object.entries(fields).map(([name, value]) => renderTextField(id(name), name, value))}${
    file ? renderFileField(id(file), file) : ''
  }${body ? renderSampleBody(id('body'), body) : ''}`
}

function renderSampleBody(id: string, { type, text }: { type: string; text: string }): Html {
  const control = html`<textarea id="${id}" data-in="body" rows="4" spellcheck="false">${text}</textarea>`
  const field = renderField({ id, label: `Body, as ${type}`, control, isScripted: true })
  return html`<input type="hidden" data-in="type" value="${type}">${field}`
}

export function renderTextField(id: string, name: string, value: string): Html {
  const control = html`<input type="text" id="${id}" name="${name}" value="${value}" dir="auto" autocomplete="off">`
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
  return method === 'GET'
    ? html`<li><a href="${toTarget(chosen)}" data-value="${value}">${label}</a></li>\n`
    : html`<li><button type="button" data-value="${value}">${label}</button></li>\n`
})}</ul>
`
}
