// Sends an edit form as the PATCH it means. Without this script the form still works: its field
// `_method` has the server take the POST for a PATCH.
for (const form of document.querySelectorAll('form[data-patch]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const status = form.querySelector('[role=status]')
    const fields = new URLSearchParams(new FormData(form))
    const tag = fields.get('_if_match')
    fields.delete('_method')
    fields.delete('_if_match')
    status.textContent = 'Saving…'
    try {
      const response = await fetch(form.action, {
        method: 'PATCH',
        headers: { accept: 'application/json', 'if-match': tag },
        body: fields,
      })
      const answer = await response.json()
      if (response.ok) location.assign(answer.data.redirect)
      else status.textContent = answer.detail
    } catch {
      status.textContent = 'No answer came that could be read. Reload to see what was saved.'
    }
  })
}
