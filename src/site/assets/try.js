// Sends the sample requests of a page, and shows each exchange beside its form.
import { sendRequest, showSending } from './exchange.js'

function toTarget(form) {
  let path = form.dataset.path ?? form.getAttribute('action')
  for (const { dataset, value } of form.querySelectorAll('[data-parameter]')) {
    path = path.replace(`{${dataset.parameter}}`, () => encodeURIComponent(value))
  }
  return path
}

function toBody(form) {
  const raw = form.querySelector('[data-type]')
  if (raw) return { body: raw.value, headers: { 'content-type': raw.dataset.type } }
  const fields = new FormData(form)
  fields.delete('_method')
  if (form.enctype === 'multipart/form-data') return { body: fields }
  return { body: new URLSearchParams(fields) }
}

function send(form, signal) {
  const method = form.dataset.method ?? form.method.toUpperCase()
  const accept = 'application/json, text/plain;q=0.9, */*;q=0.8'
  const { body, headers } = toBody(form)
  const target = toTarget(form)
  const options = { method, signal, headers: { accept, ...headers } }
  if (method !== 'GET') return sendRequest(target, body.size === 0 ? options : { ...options, body })
  return sendRequest(body.size > 0 ? `${target}?${body}` : target, options)
}

for (const place of document.querySelectorAll('.try')) {
  const form = place.querySelector('form')
  const output = place.querySelector('[data-part=response]')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    showSending(output, (signal) => send(form, signal))
  })
  for (const choice of form.querySelectorAll('[data-value]')) {
    choice.addEventListener('click', (event) => {
      // With a modifier key, the browser opens the link.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      form.querySelector('.field input').value = choice.dataset.value
      form.requestSubmit()
    })
  }
}
