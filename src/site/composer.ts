import type { Fields } from '../exchanges/exchange.ts'
import { renderCommand } from './highlight.ts'
import { html, type Html } from './html.ts'

export interface ComposerRequest {
  method: string
  /** Has `{name}` for each field in the path. */
  path: string
  /** The path and query that are sent while no field is changed. The path if unset. */
  target?: string | undefined
  accept?: string | undefined
  /** The types to choose from, for Accept. */
  accepts?: readonly string[] | undefined
  /** All others but Accept and Content-Type. */
  headers?: Fields
  /** The types to choose from, each with an example. The first one is chosen, and is sent. */
  bodies?: readonly BodyChoice[] | undefined
}

export interface BodyChoice {
  type: string
  text: string
}

interface ComposerForm {
  /** The fields of the form, which the script turns into the path, the query or the body. */
  fields?: Html | undefined
  /** What sends the form without a script. Without it, the form needs a script. */
  action?: string | undefined
  isCrossSite?: boolean
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const types = ['*/*', 'text/html', 'application/json', 'text/plain', 'text/csv']
const bodyTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']
const noBodies = bodyTypes.map((type) => ({ type, text: '' }))

export function renderComposer(request: ComposerRequest, form: ComposerForm = {}): Html {
  const { method, path, headers = [], bodies = noBodies } = request
  const { fields, action, isCrossSite = false } = form
  const isMultipart = bodies[0]?.type === 'multipart/form-data'
  const isSafe = /^(GET|HEAD)$/.test(method)
  const own = JSON.stringify({ path, method, ...(isCrossSite && { isCrossSite }) })
  const sent = action && html` method="${method === 'GET' ? 'get' : 'post'}" action="${action}"`
  return html`<form class="composer${action ? '' : ' scripted'}" autocomplete="off" data-request="${own}"${sent ?? ''}${isMultipart ? html` enctype="multipart/form-data"` : ''}>
${renderRequestLine(request)}${fields ? html`<div class="values">\n${fields}</div>\n` : ''}${
    // Browsers have no form with another method.
    isSafe || method === 'POST'
      ? ''
      : html`<input type="hidden" name="_method" value="${method}">\n`
  }<div class="body scripted" data-part="body"${isSafe ? html` hidden` : ''}>
${renderBody(bodies, isMultipart)}</div>
<div class="more scripted"><details${headers.length > 0 ? html` open` : ''}><summary>Headers</summary><div data-part="headers">
${[...headers, ['', ''] as const].map(renderRow)}</div></details>
<details><summary>curl</summary>${renderCommand('This request', '')}</details>
<details data-part="history"><summary>History</summary><ul class="chips"></ul></details>
<p class="quiet" role="status" data-part="notes"></p></div>
</form>
`
}

function renderRequestLine(request: ComposerRequest): Html {
  const { method, path, target = path, accept = '*/*', accepts = types } = request
  return html`<div class="request-line"><p class="scripted"><label>Method <select data-in="method">${toOptions(methods, method)}</select></label></p>
<p class="target scripted"><label>Path or curl command <input type="text" data-in="target" value="${target}" required${plain}></label></p>
<p class="accept scripted"><label>Accept <select data-in="header" data-name="Accept">${toOptions(accepts, accept)}</select></label></p>
<button type="submit">Send</button></div>
`
}

function renderBody(bodies: readonly BodyChoice[], isMultipart: boolean): Html {
  const text = bodies[0]?.text ?? ''
  const rows = Math.min(12, Math.max(2, text.split('\n').length))
  const options = bodies.map(
    (one) => html`<option${one.text ? html` data-example="${one.text}"` : ''}>${one.type}</option>`,
  )
  return html`<p data-part="text"${isMultipart ? html` hidden` : ''}><label>Body <textarea data-in="body" rows="${rows}" spellcheck="false">\n${text}</textarea></label></p>
<p class="type"><label>Content-Type <select data-in="type">${options}</select></label></p>
`
}

function renderRow([name, value]: Fields[number]): Html {
  return html`<div class="pair"><input type="text" aria-label="Header" list="header-names" value="${name}"${plain}><input type="text" aria-label="Value" list="header-values" value="${value}"${plain}></div>
`
}

const plain = html` spellcheck="false" autocapitalize="none"`

function toOptions(values: readonly string[], chosen: string): Html {
  const all = values.includes(chosen) ? values : [...values, chosen]
  return html`${all.map((value) => html`<option${value === chosen ? html` selected` : ''}>${value}</option>`)}`
}

/** A link or button with it fills the form. */
export function toChipData({ method, path, target = path, accept, bodies = [] }: ComposerRequest) {
  const headers = [['Accept', accept ?? '*/*']]
  const [{ type, text: body } = {}] = bodies
  return JSON.stringify({ method, target, headers, type, body })
}
