// Sends a request and shows the exchange: every request and response head of a redirect chain, as the
// server recorded them, and the bodies.
import { copyButton } from './commands.js'
import { tokenize } from './highlight.js'
import { findStatusNote } from './status-notes.js'

/** The rest of a longer body is not read. */
const maxReadBytes = 1_048_576
const maxShownLength = 65_536

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
  const { bytes, isWhole } = await readBytes(response)
  const ms = performance.now() - startedAt
  const text = isText(response) ? new TextDecoder().decode(bytes) : ''
  const exchanges = await findExchanges(response, requestId)
  return { response, bytes, isWhole, text, ms, exchanges, body: options.body }
}

async function readBytes(response) {
  const reader = response.body?.getReader()
  const chunks = []
  let size = 0
  for (;;) {
    const { done, value } = reader ? await reader.read() : { done: true }
    if (done || size > maxReadBytes) {
      if (!done) await reader.cancel()
      return { bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), isWhole: done }
    }
    chunks.push(value)
    size += value.length
  }
}

function isText({ headers }) {
  return /text|json|xml|javascript|urlencoded/.test(headers.get('content-type'))
}

function bodyToText(body = '') {
  if (!(body instanceof FormData)) return String(body)
  const describe = (value) => {
    if (typeof value === 'string') return value
    return value.name ? `${value.name}, ${value.type}, ${formatSize(value.size)}` : 'no file'
  }
  return Array.from(body, ([name, value]) => `${name}: ${describe(value)}`).join('\n')
}

async function findExchanges(response, requestId) {
  const [, id] = /exchange;desc="([^"]*)"/.exec(response.headers.get('server-timing')) ?? []
  const json = { headers: { accept: 'application/json' } }
  const found = requestId && (await fetch(`/inspector?request_id=${requestId}`, json))
  const isJson = /json/.test(found?.headers.get('content-type'))
  if (found?.ok && isJson) return (await found.json()).exchanges
  const one = id && (await fetch(`/inspector/${id}`, json))
  return one?.ok ? [await one.json()] : []
}

function prettyText(text, type) {
  const isJson = /json/.test(type) && !/ndjson/.test(type)
  // Indented, deep JSON would take 60 times its length.
  if (!isJson || text.length > maxShownLength) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

function bodyView({ response, text, bytes = new TextEncoder().encode(text), isWhole = true }) {
  const type = response.headers.get('content-type') ?? ''
  if (bytes.length === 0) return [create('p', { class: 'quiet' }, 'The response has no body.')]
  const size = isWhole ? formatSize(bytes.length) : `more than ${formatSize(maxReadBytes)}`
  const shown = prettyText(text, type)
  const language = /json/.test(type) ? 'json' : /html|xml/.test(type) ? 'html' : ''
  const part = shown.length > maxShownLength ? ' This is the start.' : ''
  const facts = `${size}, ${type || 'without Content-Type'}.`
  if (text !== '') {
    const block = codeBlock(shown.slice(0, maxShownLength), language)
    return [block, create('p', { class: 'quiet' }, facts + part)]
  }
  const start = toHex(bytes.subarray(0, 256))
  const note = `${facts} These are the first bytes in hexadecimal notation.`
  return [codeBlock(start, ''), create('p', { class: 'quiet' }, note)]
}

function toHex(bytes) {
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return pairs.replace(/(.{47}) /g, '$1\n')
}

export function formatSize(bytes) {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  if (bytes < 1_048_576) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}

function statusPill(status, text = '') {
  return create('span', { class: `status s${String(status)[0]}` }, `${status} ${text}`.trim())
}

/** Headers that nearly every exchange has are on one line each, until the block is focused. */
const common =
  /^(access-control-|cache-control: no-cache|connection|content-security|pragma|referr?er|sec-|server-timing|user-agent|vary|x-content-type|x-request-id|accept-(language|encoding))/i

function headBlock(source) {
  const block = codeBlock('', '')
  for (const line of source.split('\n')) {
    const isCommon = common.test(line)
    const shown = isCommon ? create('span', { class: 't-comment' }, line) : codeBlock(line, 'head')
    block.firstChild.append(...(isCommon ? [shown] : shown.firstChild.childNodes), '\n')
  }
  return block
}

/** The request on one side, the response on the other, and under each its body. */
function exchangeView({ method, target, status, ms, head }, note, { sent, received }) {
  const [requestHead, responseHead] = head.split('\n\n')
  const summary = create(
    'p',
    { class: 'line' },
    create('span', { class: `method ${method.toLowerCase()}` }, method),
    create('code', {}, target),
    statusPill(status, responseHead.split('\n', 1)[0].split(' ').slice(2).join(' ')),
    create('span', { class: 'quiet' }, `${ms.toFixed(1)} ms on the server`),
  )
  const column = (title, source, body) =>
    create('div', {}, create('h3', {}, title), headBlock(source.trimEnd()), ...body)
  const columns = [column('Request', requestHead, sent), column('Response', responseHead, received)]
  const explanation = note ? [create('p', { class: 'note' }, note)] : []
  const heads = create('div', { class: 'heads' }, ...columns)
  return create('div', { class: 'exchange' }, summary, ...explanation, heads)
}

/** Replaces the result in `output`. `notes` explain status codes in this place. */
export function showResult(output, result, notes = {}) {
  const { response, exchanges, body } = result
  const sent = bodyToText(body)
  const { message, content } = findParts(output)
  const toNote = (status) => notes[status] ?? findStatusNote(status)
  const last = exchanges.length - 1
  const views = exchanges.map((exchange, index) =>
    exchangeView(exchange, toNote(exchange.status), {
      sent: index === 0 && sent !== '' ? [codeBlock(sent, '')] : [],
      received: index === last ? bodyView(result) : [],
    }),
  )
  const plain = [create('p', {}, statusPill(response.status)), ...bodyView(result)]
  const command = exchanges[0]?.curl
  const curl = command ? [commandView('curl', completeCurl(command, body))] : []
  content.replaceChildren(...(views.length > 0 ? views : plain), ...curl)
  message.textContent = toSummary(result)
}

/** Recorded exchanges have no bodies. Some headers belong to this page. */
function completeCurl(command, body) {
  const isForm = body instanceof FormData
  const own = isForm ? 'cache-control|x-request-id|content-type' : 'cache-control|x-request-id'
  const parts = isForm
    ? Array.from(
        body,
        ([name, value]) => `-F ${quote(`${name}=${value.name ? `@${value.name}` : value}`)}`,
      )
    : [`--data-binary ${quote(String(body))}`]
  return command
    .replace(new RegExp(String.raw` \\\n {2}-H '(${own}): [^']*'`, 'gi'), '')
    .replace('--data-binary @content', () => parts.join(' \\\n  '))
}

function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function toSummary({ response, bytes = [], ms, exchanges }) {
  const { status, statusText = '' } = response
  const redirects = exchanges.length - 1
  const after = redirects > 0 ? ` after ${redirects} redirect${redirects > 1 ? 's' : ''}` : ''
  const size = bytes.length > 0 ? `, ${formatSize(bytes.length)}` : ''
  return `Response: ${status} ${statusText}`.trimEnd() + `${after}${size}, ${ms.toFixed(0)} ms.`
}

/** The message is the live region: screen readers announce it, and not the whole exchange. */
function findParts(output) {
  output.removeAttribute('role')
  output.hidden = false
  const [known] = output.children
  if (known?.dataset.part === 'message') return { message: known, content: known.nextSibling }
  const message = create('p', { role: 'status', class: 'quiet', 'data-part': 'message' })
  const content = create('div')
  output.replaceChildren(message, content)
  return { message, content }
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

const latest = new WeakMap()

/**
 * Runs `send`, and shows that it is busy, its result, or why there is none. A later call for the same
 * output replaces this one, and aborts the signal that `send` gets.
 */
export async function showSending(output, send, notes) {
  latest.get(output)?.abort()
  const controller = new AbortController()
  latest.set(output, controller)
  const { message, content } = findParts(output)
  message.textContent = 'Sending the request…'
  content.ariaBusy = 'true'
  try {
    const result = await send(controller.signal)
    if (controller.signal.aborted) return
    showResult(output, result, notes)
  } catch (error) {
    if (controller.signal.aborted) return
    const text = `There is no response: ${error.message.replace(/\.$/, '')}.`
    content.replaceChildren(create('p', { class: 'notice error' }, text))
    message.textContent = text
  }
  content.ariaBusy = 'false'
  output.scrollIntoView({ block: 'nearest' })
}
