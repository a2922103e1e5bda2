// Sends an edit form as the PATCH it means. Without this script the form still works: its field
// `_method` has the server take the POST for a PATCH.
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
      status.textContent = 'No answer came that could be read. Reload to see what was saved.'
    }
    form.ariaBusy = 'false'
  })
}

/** What there is to say where the page stays. */
async function send(form) {
  const fields = new URLSearchParams(new FormData(form))
  const tag = fields.get('_if_match')
  fields.delete('_method')
  fields.delete('_if_match')
  const response = await fetch(form.action, {
    method: 'PATCH',
    headers: { accept: 'application/json', 'if-match': tag },
    body: fields,
  })
  // What is refused has changed nothing: sent by the browser itself, it brings the page that says
  // what is wrong with which field, or shows both versions.
  if (response.status >= 400 && response.status < 500) {
    form.submit()
    return ''
  }
  const answer = await response.json()
  if (!response.ok) return answer.detail
  // As site/flash.ts does for who has no script.
  document.cookie = 'flash=saved; path=/; max-age=30; samesite=lax'
  location.assign(answer.data.redirect)
  return 'Saved.'
}

// A double click is one.
for (const form of document.querySelectorAll('form[method=post]:not([data-patch])')) {
  let sentAt = -Infinity
  form.addEventListener('submit', (event) => {
    if (event.timeStamp - sentAt < 2000) event.preventDefault()
    else sentAt = event.timeStamp
  })
}
