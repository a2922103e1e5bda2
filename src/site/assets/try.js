// Sends the small forms of the home page and shows the exchange beside them: both heads as the
// server saw them, and the content. Without this script they are forms as any.
async function send(form) {
  const fields = new FormData(form)
  const method = form.method.toUpperCase()
  const isUpload = form.enctype === 'multipart/form-data'
  const content = isUpload ? fields : new URLSearchParams(fields)
  const isGet = method === 'GET'
  const query = isGet && content.size > 0 ? `?${content}` : ''
  const hasBody = !isGet && (isUpload || content.size > 0)
  const response = await fetch(form.getAttribute('action') + query, {
    method,
    headers: { accept: 'application/json, text/plain;q=0.9, */*;q=0.8' },
    ...(hasBody && { body: content }),
  })
  const text = await response.text()
  const [, id] = /exchange;desc="([^"]*)"/.exec(response.headers.get('server-timing')) ?? []
  const wire = await fetch(`/inspector/${id}`, {
    headers: { accept: 'text/plain' },
  })
  return `${await wire.text()}\n${text}`
}

for (const form of document.querySelectorAll('form.try')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const answer = form.querySelector('.answer')
    answer.hidden = false
    answer.textContent = 'Asking…'
    try {
      answer.textContent = await send(form)
    } catch (error) {
      answer.textContent = `No answer came: ${error.message}`
    }
  })
}
