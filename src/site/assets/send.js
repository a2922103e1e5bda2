// Sends the request of a form or link in place, and shows the exchange. `data-request` has the method,
// the path and headers. Controls with `data-in` are parts of the request, and others form fields.
import { openComposer, toFragment } from './composer.js'
import { create, fetchPage, local } from './dom.js'
import { sendRequest, showSending } from './exchange.js'
import { fetchChain } from './exchange-view.js'

const senders = [...document.querySelectorAll('[data-request], .try > form')]
/** The response to the first request of a lesson, which creates what the others use. */
let first

/** Of lessons: see `LessonStep`. */
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
  showTexts()
  for (const note of notes) note.hidden = true
}

/** The requests and commands beside a form, with the values that the form had first. */
const codes = [...document.querySelectorAll(':is(.step, .request) .command code')]
const texts = codes.flatMap((code) => {
  const inputs = code.closest('.step, .request').querySelectorAll('form [type=text]')
  const fields = Array.from(inputs, (input) => ({ input, example: input.defaultValue }))
  const isCommand = code.closest('[data-tabs]') !== null
  const nodes = [code, ...code.children].flatMap(({ childNodes }) => [...childNodes])
  return nodes
    .filter(({ data }) => data)
    .map((node) => ({ node, text: node.data, fields, isCommand }))
})

/** Puts the values of the forms in place of the examples. */
function showTexts() {
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
  if (dataset.in) return text
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

/** No shell changes it. */
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
  for (const code of codes) {
    const [name] = /^curl(\.exe)?(?= )/.exec(code.textContent) ?? []
    const isBash = name === 'curl'
    const continued = isBash ? [create('span', { class: 't-continued' }, '\\'), '\n  '] : []
    const quote = isBash ? "'" : '"'
    const text = create('span', { class: 't-string' }, quote + header + quote)
    if (name) code.append(' ', ...continued, '-H ', text)
  }
}

function toRequest(sender) {
  const inputs = (place) =>
    [...sender.querySelectorAll(`[data-in=${place}]`)].filter(({ value }) => value !== '')
  const [method, target, type, body] = ['method', 'target', 'type', 'body'].map(
    (place) => inputs(place)[0]?.value,
  )
  const given = JSON.parse(sender.dataset.request ?? '{}')
  const { headers = { accept: 'application/json, text/plain;q=0.9, */*;q=0.8' } } = given
  const options = { method: method ?? given.method ?? sender.method.toUpperCase() }
  let path = target ?? given.path ?? sender.getAttribute('action')
  for (const { dataset, value } of inputs('path')) {
    path = path.replace(`{${dataset.name}}`, () => encodeURIComponent(value))
  }
  const url = new URL(fill(path), location.origin)
  if (url.origin !== location.origin) throw new Error('the path has to start with one slash')
  for (const { dataset, value } of inputs('query')) url.searchParams.append(dataset.name, value)
  options.headers = new Headers(Object.entries(headers).map(([name, one]) => [name, fill(one)]))
  for (const { dataset, value } of inputs('header')) options.headers.set(dataset.name, value)
  for (const [name, value] of sender.composer?.headers() ?? []) options.headers.set(name, value)
  if (body && !isSafe(options.method)) {
    options.headers.set('content-type', type)
    options.body = body
  } else addFields(sender, url, options)
  return [url.href, options, given.isCrossSite]
}

function addFields(sender, url, options) {
  const fields = sender.matches('form') ? new FormData(sender) : new FormData()
  fields.delete('_method')
  const pairs = Array.from(fields, ([name, value]) => [name, value])
  if (isSafe(options.method)) for (const pair of pairs) url.searchParams.append(...pair)
  else if (sender.enctype === 'multipart/form-data') options.body = fields
  else if (/json/.test(options.headers.get('content-type')))
    options.body = JSON.stringify(Object.fromEntries(pairs))
  else if (pairs.length > 0) options.body = new URLSearchParams(pairs)
}

function isSafe(method) {
  return method === 'GET' || method === 'HEAD'
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
  const view = await fetchChain(`/inspector/${data.id}`)
  const response = { ...data, headers: new Headers(data.headers) }
  const request = { method, target: path.replace(location.origin, '') }
  return { request, response, text: data.text, ms, view }
}

async function send(sender, watch) {
  const [path, options, isCrossSite] = toRequest(sender)
  const result = await (isCrossSite ? sendFromFrame : sendRequest)(path, { ...options, ...watch })
  // As after sending the form without a script: what GET sends can be seen, shared and bookmarked.
  if (sender.matches('form[method=get]:not([data-request])'))
    history.replaceState(null, '', location.pathname + new URL(path).search)
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

/** Chips set values of the form. */
function addChips(form, chips) {
  const find = (key) =>
    form.querySelector(key === 'value' ? 'input:not([type=hidden])' : `[data-in=${key}]`)
  const mark = () => {
    for (const chip of chips) {
      const parts = Object.entries(chip.dataset)
      chip.ariaCurrent = parts.every(([key, value]) => find(key).value === value) ? 'true' : null
    }
    const body = form.querySelector('[data-part=body]')
    if (body) body.hidden = isSafe(find('method').value)
  }
  const choose = ({ dataset }) => {
    const { method, target, header, type, body } = dataset
    if (form.composer)
      form.composer.fill({ method, target, headers: [['Accept', header]], type, body })
    else for (const [key, value] of Object.entries(dataset)) find(key).value = value
    mark()
    form.querySelector('[type=submit]').focus()
  }
  form.addEventListener('input', mark)
  for (const chip of chips) {
    chip.addEventListener('click', (event) => {
      // With a modifier key, the browser opens the link.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      choose(chip)
    })
  }
  if (form.matches('.composer > form')) {
    const { method, target, header } = chips[0].dataset
    const start = { method, target, headers: [['Accept', header]] }
    form.composer = openComposer(form, { start, onFill: mark })
  } else if (form.matches('form:not([enctype])')) addComposerLink(form)
  mark()
}

/** Leads to the composer of the home page, which has rows for headers, with the same request. */
function addComposerLink(form) {
  const submit = form.querySelector('[type=submit]')
  const link = create('a', { href: '/', class: 'button second small' }, 'Edit in the composer')
  link.addEventListener('click', (event) => {
    try {
      const [url, { method, headers, body = '' }] = toRequest(form)
      const { pathname, search } = new URL(url)
      link.href = `/${toFragment({ method, target: pathname + search, headers: [...headers], body: String(body) })}`
    } catch {
      // A later request of a lesson needs the response to the first: the message says so.
      event.preventDefault()
      form.requestSubmit()
    }
  })
  submit.after(' ', link)
}

/** The service names the nearest path in its response. */
function offerNearest(form, place) {
  const text = place.querySelector('.result .exchange:not([hidden]) [data-part=body]')?.textContent
  const [, path] = /^There is nothing at .* Did you mean (\/\S*)\?/m.exec(text ?? '') ?? []
  if (!path) return
  const button = create('button', { type: 'button', class: 'second' }, `Use ${path}`)
  button.addEventListener('click', () => {
    const target = form.querySelector('[data-in=target]')
    target.value = path
    target.dispatchEvent(new globalThis.Event('input', { bubbles: true }))
    target.focus()
  })
  place
    .querySelector('.result .exchange:not([hidden]) > .note')
    ?.after(create('p', { class: 'actions' }, button))
}

for (const sender of senders) {
  const place = sender.closest('section') ?? document
  sender.hidden = false
  sender.addEventListener(sender.matches('form') ? 'submit' : 'click', async (event) => {
    event.preventDefault()
    sender.composer?.remember()
    await showSending(place.querySelector('.result'), async (watch) => send(sender, watch))
    markHeaders(place)
    if (sender.composer) offerNearest(sender, place)
  })
  sender.addEventListener('input', showTexts)
  sender.addEventListener('keydown', ({ key, ctrlKey, metaKey, target }) => {
    if (key === 'Enter' && (ctrlKey || metaKey) && target.matches('textarea'))
      sender.requestSubmit()
  })
  sender.addEventListener('change', ({ target }) => {
    const example = target.selectedOptions?.[0].dataset.example
    if (example !== undefined) sender.querySelector('[data-in=body]').value = example
  })
  addChips(
    sender,
    place === document ? [] : [...place.querySelectorAll('.chips:not([data-part]) > * > *')],
  )
}

if (local.hasKey && codes.length > 0) void addKey()
// The values of a reload.
showTexts()

// The id of the newest record in place of the example.
for (const input of document.querySelectorAll('[data-ids]')) {
  const response = await fetch(input.dataset.ids, { headers: { accept: 'application/json' } })
  const [record] = response.ok ? [await response.json()].flat() : []
  const id = record?._id ?? record?.id
  if (id !== undefined) input.defaultValue = id
  showTexts()
}
