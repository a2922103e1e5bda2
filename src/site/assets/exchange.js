// Sends a request, and shows the exchange.
import { create, createUuid } from './dom.js'
import { fetchChain, toChainView } from './exchange-view.js'
import { createProgress } from './progress.js'
import { formatBytes, formatDuration } from './size.js'

/** The rest of a longer body is not read. */
const maxReadBytes = 1_048_576

/**
 * Fetch options and a path → the response, its text, and the view of the recorded exchanges, or the error of the
 * browser if at least a part of the chain is recorded.
 */
export async function sendRequest(path, { progress, ...options } = {}) {
  // Browsers send the header again when they follow a redirect, so that the whole chain is found.
  const requestId = createUuid()
  const headers = new Headers(options.headers)
  headers.set('x-request-id', requestId)
  const request = { method: options.method ?? 'GET', target: path.replace(location.origin, '') }
  const startedAt = performance.now()
  const find = () => fetchChain(`/inspector?request_id=${requestId}`)
  const response = await fetch(path, { cache: 'no-store', ...options, headers }).catch(
    (error) => error,
  )
  if (response instanceof Error) {
    if (progress?.isCancelled) throw new Error('you cancelled the request')
    const view = response.name === 'AbortError' ? undefined : await find()
    if (!view) throw response
    return { request, error: response, view }
  }
  progress?.head(response)
  const { bytes, isWhole, isCutOff } = await readBytes(response, progress)
  const ms = performance.now() - startedAt
  const text = isText(response) ? new TextDecoder().decode(bytes) : ''
  const id = findExchangeId(response.headers.get('server-timing'))
  const view = (await find()) ?? (id && (await fetchChain(`/inspector/${id}`)))
  return {
    request,
    response,
    bytes,
    isWhole,
    isCutOff,
    text,
    ms,
    view,
    progress,
    end: formatBytes(maxReadBytes),
  }
}

/** A body that ends with an error of the network is cut off. */
async function readBytes(response, progress) {
  const reader = response.body?.getReader()
  const chunks = []
  let size = 0
  const cutOff = (error) => {
    if (error.name === 'AbortError' && !progress?.isCancelled) throw error
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
    progress?.chunk(value)
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

function showResults({ message, content }, results) {
  content.replaceChildren(toChainView(results))
  const error = results.find((one) => one.error)
  message.className = error ? 'notice error' : 'unseen'
  message.textContent = error ? toProblem(error.error) : results.map(toSummary).join(' ')
}

const toProblem = ({ message }) => `There is no response: ${message.replace(/\.$/, '')}.`

function toSummary({ response, bytes = [], ms, view, isCutOff, progress }) {
  const { status, statusText = '' } = response
  const redirects = (view?.querySelectorAll('.exchange').length ?? 1) - 1
  const after = redirects > 0 ? ` after ${redirects} redirect${redirects > 1 ? 's' : ''}` : ''
  const size = bytes.length > 0 ? `, ${formatBytes(bytes.length)}` : ''
  const end = progress?.isCancelled ? ', then you cancelled it' : ', then the body was cut off'
  return (
    `Response: ${status} ${statusText}`.trimEnd() +
    `${after}${size}, ${formatDuration(ms)}${isCutOff ? end : ''}.`
  )
}

/** The message is the live region: screen readers announce it, and not the whole exchange. */
function findParts(output) {
  output.removeAttribute('role')
  output.hidden = false
  const [known] = output.children
  if (known?.dataset.part === 'message') return { message: known, content: output.lastChild }
  const message = create('p', { role: 'status', 'data-part': 'message' })
  const content = create('div')
  output.replaceChildren(message, content)
  return { message, content }
}

const latest = new WeakMap()

/**
 * Runs `send`, and shows what arrives, its result or results, or why there is none. It gets options for `sendRequest`:
 * a signal and what shows the progress. A later call for the same output replaces this one, and aborts its signal.
 */
export async function showSending(output, send) {
  latest.get(output)?.abort()
  const controller = new AbortController()
  latest.set(output, controller)
  const parts = findParts(output)
  const { message, content } = parts
  message.className = 'unseen'
  message.textContent = 'Sending the request…'
  content.ariaBusy = 'true'
  content.inert = true
  const progress = createProgress(() => controller.abort())
  message.after(progress.element)
  const isReplaced = () => controller.signal.aborted && !progress.isCancelled
  try {
    const result = await send({ signal: controller.signal, progress })
    if (isReplaced()) return
    showResults(parts, [result].flat())
  } catch (error) {
    if (isReplaced()) return
    content.replaceChildren()
    message.className = 'notice error'
    message.textContent = toProblem(error)
  } finally {
    progress.end()
  }
  content.inert = false
  content.ariaBusy = 'false'
  output.scrollIntoView({ block: 'nearest' })
}

/** Sends the request of an exchange again. */
export async function replay(button) {
  const { method, target, headers, body, bodyUrl } = JSON.parse(button.dataset.replay)
  const output = button.closest('[data-part=commands]').querySelector('.result')
  const bytes = body?.kind === 'base64' && globalThis.atob(body.base64)
  const sent = bytes ? Uint8Array.from(bytes, (one) => one.charCodeAt(0)) : body?.text
  await showSending(output, async (watch) => {
    const whole = body?.kind === 'stored' && (await download(bodyUrl, watch.signal))
    return sendRequest(target, { method, headers, body: whole || sent, ...watch })
  })
}

async function download(url, signal) {
  // A proxy may have another origin than the one in the URL.
  const { pathname, search } = new URL(url)
  const response = await fetch(pathname + search, { signal })
  if (!response.ok) throw new Error('the body could not be downloaded')
  return response.arrayBuffer()
}
