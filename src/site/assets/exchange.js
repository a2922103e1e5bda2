// Sends a request and shows the exchange: every request and response head of a redirect chain, as the
// server recorded and renders them, and the bodies.
import { completeCommands } from './commands.js'
import { create, createUuid, fetchPage } from './dom.js'
import { tokenize } from './highlight.js'
import { formatBytes } from './size.js'

/** The rest of a longer body is not read. */
const maxReadBytes = 1_048_576
const maxShownLength = 65_536

export function renderCodeBlock(source, language) {
  const isPlain = language === '' || source.length > maxShownLength
  const parts = isPlain ? [['', source]] : tokenize(source, language)
  const tokens = parts.map(([kind, text]) =>
    kind === '' ? text : create('span', { class: `t-${kind}` }, text),
  )
  return create('pre', { tabindex: '0' }, create('code', {}, ...tokens))
}

/** Fetch options and a path → the response, its text, and the recorded exchanges, oldest first. */
export async function sendRequest(path, options = {}) {
  // Browsers send the header again when they follow a redirect, so that the whole chain is found.
  const requestId = createUuid()
  const headers = new Headers(options.headers)
  headers.set('x-request-id', requestId)
  const startedAt = performance.now()
  const response = await fetch(path, { cache: 'no-store', ...options, headers })
  const { bytes, isWhole, isCutOff } = await readBytes(response)
  const ms = performance.now() - startedAt
  const text = isText(response) ? new TextDecoder().decode(bytes) : ''
  const id = findExchangeId(response.headers.get('server-timing'))
  const chain = await fetchExchanges(`?request_id=${requestId}`)
  const exchanges = chain.length > 0 || !id ? chain : await fetchExchanges(`/${id}`)
  return { response, bytes, isWhole, isCutOff, text, ms, exchanges }
}

/** A body that ends with an error of the network is cut off. */
async function readBytes(response) {
  const reader = response.body?.getReader()
  const chunks = []
  let size = 0
  const cutOff = (error) => {
    if (error.name === 'AbortError') throw error
    return { done: true, isCutOff: true }
  }
  for (;;) {
    const read = reader ? await reader.read().catch(cutOff) : { done: true }
    const { done, value, isCutOff = false } = read
    if (done || size > maxReadBytes) {
      if (!done) await reader.cancel()
      const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
      return { bytes, isWhole: done, isCutOff }
    }
    chunks.push(value)
    size += value.length
  }
}

function isText({ headers }) {
  return /text|json|xml|javascript|urlencoded/.test(headers.get('content-type'))
}

/** Not X-Request-Id, which a proxy may have chosen. */
export function findExchangeId(serverTiming) {
  return /exchange;desc="([\w-]*)"/.exec(serverTiming)?.[1]
}

/** The elements, oldest first. Those of a page that is not about exchanges are none. */
export async function fetchExchanges(path) {
  return [...(await fetchPage(`/inspector${path}`)).querySelectorAll('[data-exchange]')]
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

function bodyView(result) {
  const { response, text, bytes = new TextEncoder().encode(text), isWhole = true } = result
  const type = response.headers.get('content-type') ?? ''
  if (bytes.length === 0) {
    const message = result.isCutOff ? 'No part of the body arrived.' : 'The response has no body.'
    return [create('p', { class: 'quiet' }, message)]
  }
  const size = isWhole ? formatBytes(bytes.length) : `more than ${formatBytes(maxReadBytes)}`
  const pretty = prettyText(text, type)
  const isBinary = text === ''
  const shown = isBinary ? toHex(bytes.subarray(0, 256)) : pretty.slice(0, maxShownLength)
  const language = /json/.test(type) ? 'json' : /html|xml/.test(type) ? 'html' : ''
  const part = pretty.length > maxShownLength ? ' This is the start.' : ''
  const note = isBinary ? ' These are the first bytes in hexadecimal notation.' : part
  const facts = `${size}, ${type || 'without Content-Type'}.${note}`
  return [renderCodeBlock(shown, isBinary ? '' : language), create('p', { class: 'quiet' }, facts)]
}

function toHex(bytes) {
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return pairs.replace(/(.{47}) /g, '$1\n')
}

function showResults({ message, content }, results) {
  content.replaceChildren(...results.flatMap(toViews))
  message.textContent = results.map(toSummary).join(' ')
  completeCommands(content)
}

function toViews(result) {
  const { exchanges, isCutOff } = result
  const received = bodyView(result)
  if (exchanges.length === 0) {
    return [create('div', { class: 'exchange' }, ...headView(result), ...received)]
  }
  const place = exchanges.at(-1).querySelector('.heads > :last-child')
  // The server may not have recorded the body, or sent more of it than arrived.
  if (isCutOff || !place.querySelector('pre ~ pre')) place.append(...received)
  return exchanges
}

/** As the browser received it, of a response that is not recorded. */
function headView({ response }) {
  const { status, statusText = '', headers } = response
  const pill = create('span', { class: `status s${String(status)[0]}` }, `${status} ${statusText}`)
  const head = Array.from(headers, ([name, value]) => `${name}: ${value}`).join('\n')
  return [create('p', {}, pill), renderCodeBlock(head, 'exchange')]
}

function toSummary({ response, bytes = [], ms, exchanges, isCutOff }) {
  const { status, statusText = '' } = response
  const redirects = exchanges.length - 1
  const after = redirects > 0 ? ` after ${redirects} redirect${redirects > 1 ? 's' : ''}` : ''
  const size = bytes.length > 0 ? `, ${formatBytes(bytes.length)}` : ''
  const end = isCutOff ? ', then the body was cut off' : ''
  return (
    `Response: ${status} ${statusText}`.trimEnd() + `${after}${size}, ${ms.toFixed(0)} ms${end}.`
  )
}

/** The message is the live region: screen readers announce it, and not the whole exchange. */
function findParts(output) {
  output.removeAttribute('role')
  output.hidden = false
  const [known] = output.children
  if (known?.dataset.part === 'message') return { message: known, content: known.nextSibling }
  const message = create('p', { role: 'status', 'data-part': 'message' })
  const content = create('div')
  output.replaceChildren(message, content)
  return { message, content }
}

const latest = new WeakMap()

/**
 * Runs `send`, and shows that it is busy, its result or results, or why there is none. A later call for the same
 * output replaces this one, and aborts the signal that `send` gets.
 */
export async function showSending(output, send) {
  latest.get(output)?.abort()
  const controller = new AbortController()
  latest.set(output, controller)
  const parts = findParts(output)
  const { message, content } = parts
  message.className = 'quiet'
  message.textContent = 'Sending the request…'
  content.ariaBusy = 'true'
  try {
    const result = await send(controller.signal)
    if (controller.signal.aborted) return
    showResults(parts, [result].flat())
  } catch (error) {
    if (controller.signal.aborted) return
    content.replaceChildren()
    message.className = 'notice error'
    message.textContent = `There is no response: ${error.message.replace(/\.$/, '')}.`
  }
  content.ariaBusy = 'false'
  output.scrollIntoView({ block: 'nearest' })
}

/** Sends the request of an exchange again. */
export async function replay(button) {
  const { method, target, headers, body, bodyUrl } = JSON.parse(button.dataset.replay)
  const output = button.closest('[data-part=commands]').querySelector('.result')
  const bytes = body?.kind === 'base64' && globalThis.atob(body.base64)
  const sent = bytes ? Uint8Array.from(bytes, (one) => one.charCodeAt(0)) : body?.text
  await showSending(output, async (signal) => {
    const whole = body?.kind === 'stored' && (await download(bodyUrl, signal))
    return sendRequest(target, { method, headers, body: whole || sent, signal })
  })
}

async function download(url, signal) {
  // A proxy may have another origin than the one in the URL.
  const { pathname, search } = new URL(url)
  const response = await fetch(pathname + search, { signal })
  if (!response.ok) throw new Error('the body could not be downloaded')
  return response.arrayBuffer()
}
