// Sends an edit form as PATCH. Without JavaScript the browser sends POST with `_method=PATCH`.
import { createUuid, session } from './dom.js'

/** Whether something was typed that was not sent. */
let isUnsaved = false

function attach(root) {
  for (const form of root.querySelectorAll('form[data-patch]')) {
    form.addEventListener('submit', (event) => submit(event, form))
  }
  // Ignores the second click of a double click.
  for (const form of root.querySelectorAll('form[method=post]:not([data-patch])')) {
    let sentAt = -Infinity
    form.addEventListener('submit', (event) => {
      isUnsaved = false
      if (event.timeStamp - sentAt < 2000) event.preventDefault()
      else sentAt = event.timeStamp
    })
  }
  for (const form of root.querySelectorAll('form[method=post]')) {
    form.addEventListener('input', () => (isUnsaved = true))
    for (const cancel of form.querySelectorAll('.actions a')) {
      cancel.addEventListener('click', () => (isUnsaved = false))
    }
  }
}

async function submit(event, form) {
  event.preventDefault()
  if (form.ariaBusy === 'true') return
  form.ariaBusy = 'true'
  const status = form.querySelector('[role=status]')
  status.textContent = 'Saving…'
  try {
    status.textContent = await send(form)
  } catch {
    status.textContent =
      'The server did not send a valid response. Reload the page to see whether the change was saved.'
  }
  form.ariaBusy = 'false'
}

/** Resolves with the status message to show if the page stays open. */
async function send(form) {
  const fields = new URLSearchParams(new FormData(form))
  const tag = fields.get('_if_match')
  fields.delete('_method')
  fields.delete('_if_match')
  removeUnchanged(form, fields)
  const id = createUuid()
  const accept = 'application/json, text/html;q=0.9'
  const response = await fetch(form.getAttribute('action'), {
    method: 'PATCH',
    headers: { accept, 'if-match': tag, 'x-request-id': id },
    body: fields,
  })
  const { explainResponse } = await import('./frame.js')
  // The form again with the errors of its fields, or the versions of the record.
  if (response.headers.get('content-type').startsWith('text/html')) {
    showPage(await response.text())
    explainResponse(response)
    return ''
  }
  const content = await response.json()
  if (!response.ok) {
    explainResponse(response)
    return content.detail
  }
  isUnsaved = false
  // The same cookie as in site/flash.ts.
  document.cookie = 'flash=saved; path=/; max-age=30; samesite=lax'
  session.sent = id
  location.assign(response.headers.get('content-location') ?? content.data.redirect)
  return 'Saved.'
}

function showPage(text) {
  const page = new DOMParser().parseFromString(text, 'text/html')
  const main = document.querySelector('main')
  document.title = page.title
  main.replaceChildren(...page.querySelector('main').childNodes)
  isUnsaved = false
  attach(main)
  main.querySelector('[autofocus]')?.focus()
  main.scrollIntoView()
}

/** Compares with the stored values, since `defaultValue` is what was typed after an error. */
function removeUnchanged(form, fields) {
  const stored = new Map()
  for (const { name, value } of form.querySelectorAll('[name^="_was."]')) {
    stored.set(name.slice('_was.'.length), value)
  }
  for (const input of form.querySelectorAll('[name]:not([type=hidden])')) {
    if (isChanged(input, stored.get(input.name) ?? '')) continue
    fields.delete(input.name)
    // A checkbox has a hidden input, which is sent when it is not checked.
    fields.delete(`${input.name}[0]`)
  }
}

function isChanged(input, stored) {
  if (input.type === 'checkbox') return String(input.checked) !== stored
  if (input.matches('select')) return input.value !== stored
  // An input may show another text for a value: a time without seconds.
  const unchanged = input.cloneNode()
  unchanged.value = stored
  return input.value !== unchanged.value
}

attach(document)

globalThis.addEventListener('beforeunload', (event) => {
  if (isUnsaved) event.preventDefault()
})
