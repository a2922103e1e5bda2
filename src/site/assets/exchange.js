// Sends a request and shows the exchange: every request and response head of a redirect chain, as the
// server recorded them, and the body of the last response.
import { copyButton } from './commands.js'
import { tokenize } from './highlight.js'

export { copyButton }

export function create(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

export function codeBlock(source, language) {
  const parts = language === '' ? [['', source]] : tokenize(source, language)
  const tokens = parts.map(([kind, text]) =>
    kind === '' ? text : create('span', { class: `t-${kind}` }, text),
  )
  return create('pre', { tabindex: '0' }, create('code', {}, ...tokens))
}

/** Fetch options and a path → the response, its text, and the recorded exchanges, oldest first. */
export async function sendRequest(path, options = {}) {
  // Browsers send the header again when they follow a redirect, so that the whole chain is found.
  const requestId = crypto.randomUUID?.()
  const headers = new Headers(options.headers)
  if (requestId) headers.set('x-request-id', requestId)
  const startedAt = performance.now()
  const response = await fetch(path, { cache: 'no-store', ...options, headers })
  const text = await readText(response)
  const ms = performance.now() - startedAt
  return { response, text, ms, exchanges: await findExchanges(response, requestId) }
}

async function readText(response) {
  const type = response.headers.get('content-type') ?? ''
  if (/text|json|xml|javascript|urlencoded/.test(type)) return response.text()
  const { size } = await response.blob()
  return size === 0 ? '' : `(${size} bytes of ${type || 'an unknown type'})`
}

async function findExchanges(response, requestId) {
  const [, id] = /exchange;desc="([^"]*)"/.exec(response.headers.get('server-timing')) ?? []
  const json = { headers: { accept: 'application/json' } }
  const found = requestId && (await fetch(`/inspector?request_id=${requestId}`, json))
  if (found?.ok) return (await found.json()).exchanges
  const one = id && (await fetch(`/inspector/${id}`, json))
  return one?.ok ? [await one.json()] : []
}

function prettyText(text, type) {
  if (!/json/.test(type) || /ndjson/.test(type)) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

function bodyView({ response, text }) {
  if (text === '') return create('p', { class: 'quiet' }, 'The response has no body.')
  const type = response.headers.get('content-type') ?? ''
  const language = /json/.test(type) ? 'json' : /html|xml/.test(type) ? 'html' : ''
  const shown = prettyText(text, type)
  const cut = shown.length > 65_536 ? `${shown.slice(0, 65_536)}\n…` : shown
  return codeBlock(cut, language)
}

function statusPill(status, text = '') {
  return create('span', { class: `status s${String(status)[0]}` }, `${status} ${text}`.trim())
}

function exchangeView({ method, target, status, ms, head }) {
  const [requestHead, responseHead] = head.split('\n\n')
  const summary = create(
    'p',
    { class: 'line' },
    create('span', { class: `method ${method.toLowerCase()}` }, method),
    create('code', {}, target),
    statusPill(status, responseHead.split('\n', 1)[0].split(' ').slice(2).join(' ')),
    create('span', { class: 'quiet' }, `${ms.toFixed(1)} ms on the server`),
  )
  const column = (title, source) =>
    create('div', {}, create('h3', {}, title), codeBlock(source, 'head'))
  return create(
    'div',
    { class: 'exchange' },
    summary,
    create(
      'div',
      { class: 'heads' },
      column('Request', requestHead),
      column('Response', responseHead),
    ),
  )
}

/** Replaces the content of `output`, a live region. `notes` explain status codes. */
export function showResult(output, result, notes = {}) {
  const { response, exchanges } = result
  const views = exchanges.map((exchange) => [exchangeView(exchange), noteView(exchange, notes)])
  const shown = views.length > 0 ? views.flat() : [create('p', {}, statusPill(response.status))]
  const command = exchanges[0]?.curl
  const curl = command ? [commandView('curl', command)] : []
  output.replaceChildren(...shown, create('h3', {}, 'Body'), bodyView(result), ...curl)
  output.hidden = false
}

function noteView({ status }, notes) {
  return notes[status] ? create('p', { class: 'note' }, notes[status]) : ''
}

export function commandView(title, source) {
  const copy = copyButton(() => source)
  return create(
    'figure',
    { class: 'command' },
    create('figcaption', {}, title, copy),
    codeBlock(source, 'code'),
  )
}

/** Runs `send`, and shows that it is busy, its result, or why there is none. */
export async function showSending(output, send, notes) {
  output.hidden = false
  output.ariaBusy = 'true'
  try {
    showResult(output, await send(), notes)
  } catch (error) {
    const text = `There is no response: ${error.message}`
    output.replaceChildren(create('p', { class: 'notice error' }, text))
  }
  output.ariaBusy = 'false'
}
