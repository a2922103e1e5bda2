// Sends an edit form as PATCH. Without JavaScript the browser sends POST with `_method=PATCH`.
import { createUuid, session } from './dom.js'

for (const form of document.querySelectorAll('form[data-patch]')) {
  form.addEventListener('submit', async (event) => {
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
  })
}

/** Resolves with the status message to show if the page stays open. */
async function send(form) {
  const fields = new URLSearchParams(new FormData(form))
  const tag = fields.get('_if_match')
  fields.delete('_method')
  fields.delete('_if_match')
  removeUnchanged(form, fields)
  const id = createUuid()
  const response = await fetch(form.getAttribute('action'), {
    method: 'PATCH',
    headers: { accept: 'application/json', 'if-match': tag, 'x-request-id': id },
    body: fields,
  })
  // A 4xx response means that nothing was saved. Submitting the form natively shows the error page
  // with the field errors, or both versions of the record.
  if (response.status >= 400 && response.status < 500) {
    // Not `form.submit`: a field can have this name.
    document.createElement('form').submit.call(form)
    return ''
  }
  const content = await response.json()
  if (!response.ok) return content.detail
  // The same cookie as in site/flash.ts.
  document.cookie = 'flash=saved; path=/; max-age=30; samesite=lax'
  session.sent = id
  location.assign(response.headers.get('content-location') ?? content.data.redirect)
  return 'Saved.'
}

/** Not by `defaultValue`: after an error it is what was typed. */
function removeUnchanged(form, fields) {
  const stored = new Map()
  for (const { name, value } of form.querySelectorAll('[name^="_was."]')) {
    stored.set(name.slice('_was.'.length), value)
    fields.delete(name)
  }
  for (const input of form.querySelectorAll('[name]:not([type=hidden])')) {
    if (isChanged(input, stored.get(input.name) ?? '')) continue
    fields.delete(input.name)
    // The hidden input of a checkbox.
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

// Ignores the second click of a double click.
for (const form of document.querySelectorAll('form[method=post]:not([data-patch])')) {
  let sentAt = -Infinity
  form.addEventListener('submit', (event) => {
    if (event.timeStamp - sentAt < 2000) event.preventDefault()
    else sentAt = event.timeStamp
  })
}
