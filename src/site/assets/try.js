// Sends the forms of the home page and shows the exchange: the headers of the request and the
// response as the server recorded them, and the response body.
async function send(form) {
  const fields = new FormData(form)
  const method = form.method.toUpperCase()
  const isUpload = form.enctype === 'multipart/form-data'
  const body = isUpload ? fields : new URLSearchParams(fields)
  const isGet = method === 'GET'
  const query = isGet && body.size > 0 ? `?${body}` : ''
  const hasBody = !isGet && (isUpload || body.size > 0)
  const response = await fetch(form.getAttribute('action') + query, {
    method,
    headers: { accept: 'application/json, text/plain;q=0.9, */*;q=0.8' },
    ...(hasBody && { body }),
  })
  const text = await response.text()
  const [, id] = /exchange;desc="([^"]*)"/.exec(response.headers.get('server-timing')) ?? []
  const exchange = await fetch(`/inspector/${id}`, { headers: { accept: 'text/plain' } })
  return `${await exchange.text()}\n${text}`
}

for (const form of document.querySelectorAll('form.try')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const output = form.querySelector('.response')
    output.hidden = false
    output.textContent = 'Waiting for the response…'
    try {
      output.textContent = await send(form)
    } catch (error) {
      output.textContent = `No response: ${error.message}`
    }
  })
}
