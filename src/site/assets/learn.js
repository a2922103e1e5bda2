// Sends the requests of a lesson, and shows each exchange below its request.
import { create, sendRequest, showSending } from './exchange.js'

const ownName = `lesson-${Math.random().toString(36).slice(2, 10)}`
const senders = [...document.querySelectorAll('[data-request]')]
/** The response to the first request of the lesson, which creates what the others use. */
let first

function fill(text) {
  const filled = text.replaceAll('my-lesson', ownName)
  if (!/"ETAG"|\/ID$/.test(filled)) return filled
  if (!first?.ok) throw new Error('send request 1 first. The others use its response.')
  const location = first.headers.get('location') ?? ''
  return filled.replace(/\/\w+\/ID$/, location).replace('"ETAG"', first.headers.get('etag'))
}

function toFetch(sender) {
  const { method, path, headers = {}, isCrossSite } = JSON.parse(sender.dataset.request)
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value)])
  const options = { method, headers: Object.fromEntries(filled) }
  const inputs = sender.matches('form') ? [...new FormData(sender)] : []
  const fields = inputs
    .filter(([name]) => name !== '_method')
    .map(([name, value]) => [name, fill(value)])
  if (method === 'GET' && fields.length > 0) {
    return [`${path}?${new URLSearchParams(fields)}`, options, isCrossSite]
  }
  if (fields.length > 0) {
    const isJson = 'Content-Type' in headers
    options.body = isJson ? JSON.stringify(Object.fromEntries(fields)) : new URLSearchParams(fields)
  }
  return [fill(path), options, isCrossSite]
}

/** A sandboxed frame has an origin of its own, so that the browser treats its requests as cross-site. */
async function sendFromFrame(path, { body, method, headers }) {
  const sent = String(body ?? '')
  const source = '<script type="module" src="/assets/learn-frame.js"></scr' + 'ipt>'
  const frame = create('iframe', { sandbox: 'allow-scripts', hidden: '', srcdoc: source })
  frame.name = JSON.stringify({ path, method, headers, body: body && sent })
  const startedAt = performance.now()
  const { data } = await new Promise((resolve) => {
    globalThis.addEventListener(
      'message',
      (event) => event.source === frame.contentWindow && resolve(event),
    )
    document.body.append(frame)
  })
  const ms = performance.now() - startedAt
  frame.remove()
  if (data.error) throw new Error(data.error)
  const found = await fetch(`/inspector/${data.id}`, { headers: { accept: 'application/json' } })
  const exchanges = found.ok ? [await found.json()] : []
  return {
    response: { ...data, headers: new Headers(data.headers) },
    text: data.text,
    sent,
    ms,
    exchanges,
  }
}

async function send(sender, signal) {
  const [path, options, isCrossSite] = toFetch(sender)
  const result = await (isCrossSite ? sendFromFrame : sendRequest)(path, { ...options, signal })
  if (sender === senders[0]) first = result.response
  return result
}

/** Marks the headers that the lesson explains. */
function markHeaders(section) {
  const names = [...section.querySelectorAll('li code')].map(({ textContent }) =>
    textContent.split(':')[0].toLowerCase(),
  )
  for (const key of section.querySelectorAll('.result .t-key')) {
    key.classList.toggle('named', names.includes(key.textContent.toLowerCase()))
  }
}

for (const sender of senders) {
  sender.hidden = false
  sender.addEventListener(sender.matches('form') ? 'submit' : 'click', async (event) => {
    event.preventDefault()
    const section = sender.closest('section')
    await showSending(section.querySelector('.result'), (signal) => send(sender, signal))
    markHeaders(section)
  })
}
