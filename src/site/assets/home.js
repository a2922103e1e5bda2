// The request composer of the home page.
import { sendRequest, showSending } from './exchange.js'

const composer = document.querySelector('.composer')
const field = (id) => document.getElementById(id)
const bodyPart = composer?.querySelector('[data-part=body]')
const chips = [...(composer?.querySelectorAll('[data-target]') ?? [])]

function showBody() {
  bodyPart.hidden = ['GET', 'HEAD'].includes(field('method').value)
}

function choose(chip) {
  const { method, target, type = 'application/json', body = '' } = chip.dataset
  const values = { method, target, accept: '*/*', body, 'body-type': type }
  for (const [id, value] of Object.entries(values)) field(id).value = value
  showBody()
  mark(chip)
}

function mark(chosen) {
  for (const chip of chips) {
    if (chip === chosen) chip.setAttribute('aria-current', 'true')
    else chip.removeAttribute('aria-current')
  }
}

function send(signal) {
  const { href, origin } = new URL(field('target').value, location.origin)
  if (origin !== location.origin) throw new Error('the path has to start with one slash')
  const headers = { accept: field('accept').value }
  const options = { method: field('method').value, signal, headers }
  const body = field('body').value
  if (bodyPart.hidden || body === '') return sendRequest(href, options)
  headers['content-type'] = field('body-type').value
  return sendRequest(href, { ...options, body })
}

if (composer) {
  const form = composer.querySelector('form')
  const output = composer.querySelector('[data-part=response]')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    showSending(output, async (signal) => send(signal))
  })
  form.addEventListener('input', () => {
    showBody()
    mark()
  })
  for (const chip of chips) {
    chip.addEventListener('click', (event) => {
      // With a modifier key, the browser opens the link.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      choose(chip)
      form.requestSubmit()
    })
  }
  choose(chips[0])
}
