// Sends requests from the documentation and shows the responses.
const inputs = (form, place) => [...form.querySelectorAll(`[data-in="${place}"]`)]
const filled = (form, place) => inputs(form, place).filter(({ value }) => value !== '')

function toTarget(form) {
  let path = form.dataset.path
  for (const { name, value } of inputs(form, 'path')) {
    path = path.replace(`{${name}}`, encodeURIComponent(value))
  }
  const query = new URLSearchParams(filled(form, 'query').map(({ name, value }) => [name, value]))
  return query.size > 0 ? `${path}?${query}` : path
}

function toRequest(form) {
  const headers = new Headers(filled(form, 'header').map(({ name, value }) => [name, value]))
  const request = { method: form.dataset.method, headers, redirect: 'manual', cache: 'no-store' }
  const [content] = filled(form, 'content')
  const [type] = inputs(form, 'type')
  const parts = inputs(form, 'part')
  if (content) {
    headers.set('content-type', type.value)
    return { ...request, body: content.value }
  }
  if (parts.length === 0) return request
  const body = new FormData()
  for (const { name, files } of parts) for (const file of files) body.append(name, file)
  return { ...request, body }
}

async function responseToText(response) {
  if (response.type === 'opaqueredirect') {
    return 'The response is a redirect. Browsers do not let scripts read redirects.'
  }
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const status = `${response.status} ${response.statusText}`
  return [status, ...fields, '', await response.text()].join('\n')
}

async function send(form) {
  const output = form.querySelector('.response')
  output.hidden = false
  output.textContent = 'Waiting for the response…'
  try {
    output.textContent = await responseToText(await fetch(toTarget(form), toRequest(form)))
  } catch (error) {
    output.textContent = `No response: ${error.message}`
  }
}

function showExample(form) {
  const [type] = inputs(form, 'type')
  const [content] = inputs(form, 'content')
  content.value = type.selectedOptions[0].dataset.example
}

for (const form of document.querySelectorAll('form.request')) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form)
  })
  for (const type of inputs(form, 'type')) {
    showExample(form)
    type.addEventListener('change', () => showExample(form))
  }
}
