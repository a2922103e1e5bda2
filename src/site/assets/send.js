// Sends the request of a form in place, and shows the exchange. `data-request` has the path of a composer.
import { openComposer } from './composer.js'
import { isSafe } from './curl.js'
import { create, fetchPage, findSandbox, local } from './dom.js'

const senders = [...document.querySelectorAll('.composer:not(.compose > *), .try > form')]
/** The response to the first request of a lesson, which creates what the others use. */
let first

/** They stand for the ETag and the id in the response to the first request of a lesson. */
const placeholders = /\bETAG\b|\/\w+\/ID\b/g
const notes = document.querySelectorAll('[data-part=placeholders]')

function fill(text) {
  if (notes.length === 0 || text.search(placeholders) < 0) return text
  if (!first?.ok) throw new Error('send request 1 first. This request uses its response.')
  const [, tag] = /"(.*)"/.exec(first.headers.get('etag'))
  return text.replace(placeholders, (one) => (one === 'ETAG' ? tag : first.headers.get('location')))
}

function keepFirst(response) {
  first = response
  if (!first?.ok) return
  showExamples()
  for (const note of notes) note.hidden = true
}

/** The requests and commands beside a form, with the values that the form had first. */
const codes = [...document.querySelectorAll(':is(.step, .request) .command code:not(form *)')]
const texts = codes.flatMap((code) => {
  const inputs = code
    .closest('.step, .request')
    .querySelectorAll('form [type=text]:is([name], [data-in=path])')
  const fields = Array.from(inputs, (input) => ({ input, example: input.defaultValue }))
  const isCommand = code.closest('[data-tabs]') !== null
  const nodes = [code, ...code.children].flatMap(({ childNodes }) => [...childNodes])
  return nodes
    .filter(({ data }) => data)
    .map((node) => ({ node, text: node.data, fields, isCommand }))
})

/** Puts the values of the forms in place of the examples. */
function showExamples() {
  for (const { node, text, fields, isCommand } of texts) {
    const shown = fields.reduce((known, field) => setField(known, field, isCommand), text)
    const [, body] = /^: \d+\n\n([^]*)/.exec(shown) ?? []
    const hasNewBody = body !== undefined && shown !== text
    const whole = hasNewBody ? `: ${new TextEncoder().encode(body).length}\n\n${body}` : shown
    node.data = first?.ok ? fill(whole) : whole
  }
}

function setField(text, { input, example }, isCommand) {
  const { name, value, dataset } = input
  if (dataset.in === 'path')
    return text.replaceAll(`/${encodeURIComponent(example)}`, () => `/${toSegment(value)}`)
  const [old, own] = [example, value].map((one) => String(new URLSearchParams({ [name]: one })))
  const json = isCommand ? toPlainJson(value) : JSON.stringify(value).slice(1, -1)
  const withForm = text.replaceAll(old, () => own)
  // In the command prompt of Windows, quotation marks have a backslash.
  return ['"', '\\"'].reduce((known, mark) => {
    const [pair, ownPair] = [example, json].map((one) => [name, ':', one].join(mark))
    return known.replaceAll(pair, () => ownPair)
  }, withForm)
}

const toSegment = (value) => encodeURIComponent(value).replaceAll("'", '%27')

/** JSON without characters that a shell would change. */
function toPlainJson(value) {
  const toEscape = (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  return value.replaceAll(/[^\w .,-]/g, toEscape)
}

/** With the visitor's key, the request inspector lists the requests of curl too. Scripts cannot read its cookie. */
async function addKey() {
  const page = await fetchPage('/inspector?mine=1&per_page=1')
  const { textContent = '' } = page.querySelector('[data-part=key]') ?? {}
  const [header] = /X-Inspector: [\w-]+/.exec(textContent) ?? []
  if (!header) return delete local.hasKey
  for (const composer of composers) composer.setKey(header.split(': '))
  for (const code of codes) {
    const [name] = /^curl(\.exe)?(?= )/.exec(code.textContent) ?? []
    const isBash = name === 'curl'
    const continued = isBash ? [create('span', { class: 't-continued' }, '\\'), '\n  '] : []
    const quote = isBash ? "'" : '"'
    const text = create('span', { class: 't-string' }, quote + header + quote)
    if (name) code.append(' ', ...continued, '-H ', text)
  }
}

/** The commands of a lesson, which shared caches store, get the sandbox of the visitor. */
async function addSandbox() {
  const path = findSandbox(await fetchPage('/_vitrine/sandbox'))
  if (!path) return delete local.sandbox
  for (const node of codes.flatMap((code) =>
    [code, ...code.children].flatMap(({ childNodes }) => [...childNodes]),
  ))
    if (node.data)
      node.data = node.data.replaceAll(location.origin + '/', `${location.origin}${path}/`)
}

/** Returns the URL and the options for `fetch`. */
function toFetchArguments({ method, target, headers, type, body, form }) {
  const url = new URL(fill(target), location.origin)
  if (url.origin !== location.origin) throw new Error('the path has to start with one slash')
  const sent = new Headers()
  for (const [name, value] of headers) sent.append(name, fill(value))
  if (isSafe(method)) return [url.href, { method, headers: sent }]
  if (form) {
    const fields = new FormData()
    for (const field of form) fields.append(...field)
    return [url.href, { method, headers: sent, body: fields }]
  }
  if (body && !sent.has('content-type')) sent.set('content-type', type)
  return [url.href, { method, headers: sent, ...(body && { body }) }]
}

/** The same for a form of a static page. */
function toFormArguments(form) {
  const url = new URL(form.getAttribute('action'), location.origin)
  const fields = new URLSearchParams([...new FormData(form)])
  const headers = { accept: 'application/json, text/plain;q=0.9, */*;q=0.8' }
  if (form.method !== 'get') return [url.href, { method: 'POST', headers, body: fields }]
  url.search = fields
  return [url.href, { method: 'GET', headers }]
}

/** A sandboxed frame has an origin of its own, so that the browser treats its requests as cross-site. */
async function sendFromFrame(path, { body, method, headers }) {
  const source = '<script type="module" src="/assets/learn-frame.js"></scr' + 'ipt>'
  const frame = create('iframe', { sandbox: 'allow-scripts', hidden: '', srcdoc: source })
  const sent = body && String(body)
  frame.name = JSON.stringify({ path, method, headers: Object.fromEntries(headers), body: sent })
  const startedAt = performance.now()
  const { data } = await new Promise((resolve) => {
    const receive = (event) => event.source === frame.contentWindow && resolve(event)
    globalThis.addEventListener('message', receive)
    document.body.append(frame)
  })
  const ms = performance.now() - startedAt
  frame.remove()
  if (data.error) throw new Error(data.error)
  const { fetchChain } = await import('./exchange-view.js')
  const view = await fetchChain(`/inspector/${data.id}`)
  const response = { ...data, headers: new Headers(data.headers) }
  const request = { method, target: path.replace(location.origin, '') }
  return { request, response, text: data.text, ms, view }
}

async function send(sender, { request, watch, sendOwn }) {
  const { isCrossSite } = JSON.parse(sender.dataset.request ?? '{}')
  // The preflight of a lesson has headers that only a browser sets.
  const given = request && !isCrossSite ? { ...request, headers: request.sendable } : request
  const [url, options] = given ? toFetchArguments(given) : toFormArguments(sender)
  const { sendRequest } = await import('./exchange.js')
  const sendOne = isCrossSite ? sendFromFrame : (sendOwn ?? sendRequest)
  const result = await sendOne(url, { ...options, ...watch })
  // As after sending the form without a script: what GET sends can be seen, shared and bookmarked.
  if (!request && options.method === 'GET')
    history.replaceState(null, '', location.pathname + new URL(url).search)
  if (sender === senders[0]) keepFirst(result.response)
  return result
}

/** Marks the headers that a lesson explains. */
function markHeaders(place) {
  const names = [...place.querySelectorAll('.step li code')].map(({ textContent }) =>
    textContent.split(':')[0].toLowerCase(),
  )
  for (const key of place.querySelectorAll('.result .t-key')) {
    key.classList.toggle('named', names.includes(key.textContent.toLowerCase()))
  }
}

/** The service names the nearest path in its response. */
function offerNearest({ composer }, place) {
  const text = place.querySelector('.result .exchange:not([hidden]) [data-part=body]')?.textContent
  const [, path] = /There is nothing at .*? Did you mean (\/[^\s?"<]*)\?/.exec(text ?? '') ?? []
  if (!path) return
  const button = create('button', { type: 'button', class: 'second' }, `Use ${path}`)
  button.addEventListener('click', () => {
    const request = composer.read()
    const [, query = ''] = /[^?]*([?].*)?/.exec(request.target)
    composer.fill({ ...request, target: path + query })
    place.querySelector('[data-in=target]').focus()
  })
  place
    .querySelector('.result .exchange:not([hidden]) > .note')
    ?.after(create('p', { class: 'actions' }, button))
}

/** `values` and `sendOwn` are those of a page whose fields describe something else than a request. */
export function openSender(sender, { place, values, sendOwn, showTexts = showExamples }) {
  const chips = [...place.querySelectorAll('[data-fill]')]
  if (sender.matches('.composer'))
    sender.composer = openComposer(sender, { chips, values, onFill: showTexts })
  sender.addEventListener('submit', async (event) => {
    event.preventDefault()
    const request = sender.composer?.read()
    // Most pages are read and send nothing.
    const { showSending } = await import('./exchange.js')
    await showSending(place.querySelector('.result'), async (watch) => {
      let result
      try {
        result = await send(sender, { request, watch, sendOwn })
      } finally {
        // A request that was cancelled was sent too.
        if (request && (result || watch.signal.aborted)) await sender.composer.keep(request)
      }
      return result
    })
    markHeaders(place)
    if (request) offerNearest(sender, place)
  })
  sender.addEventListener('input', showTexts)
  sender.addEventListener('keydown', ({ key, ctrlKey, metaKey, target }) => {
    if (key === 'Enter' && (ctrlKey || metaKey) && target.matches('textarea'))
      sender.requestSubmit()
  })
}

/** Few pages are opened by a link with a request. */
export async function openFragments(composers) {
  const open = async () => {
    if (location.hash.length > 1) (await import('./history.js')).openFragment(composers)
  }
  globalThis.addEventListener('hashchange', open)
  await open()
}

for (const sender of senders)
  openSender(sender, { place: sender.closest('section') ?? document.querySelector('main') })
const composers = senders.flatMap(({ composer }) => composer ?? [])
if (composers.length > 0) await openFragments(composers)
if (local.hasKey) void addKey()
if (local.sandbox && document.querySelector('.step')) await addSandbox()

// The id of the newest record in place of the example.
for (const input of document.querySelectorAll('[data-ids]')) {
  const response = await fetch(input.dataset.ids, { headers: { accept: 'application/json' } })
  const [record] = response.ok ? [await response.json()].flat() : []
  const id = record?._id ?? record?.id
  if (id === undefined) continue
  input.defaultValue = id
  // The path has the id too.
  input.dispatchEvent(new globalThis.Event('input', { bubbles: true }))
}
