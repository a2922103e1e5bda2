// Sends the request in the name of this frame, and posts the response to the page around it.
const { parent, name } = globalThis
const { path, ...options } = JSON.parse(name)
const method = options.headers['access-control-request-method'] ?? options.method
try {
  const response = await fetch(path, {
    cache: 'no-store',
    ...options,
    method,
  })
  const { status, headers } = response
  const [type, id] = ['content-type', 'x-request-id'].map((name) => headers.get(name))
  const text = await response.text()
  parent.postMessage({ status, headers: { 'content-type': type }, id, text }, '*')
} catch (error) {
  parent.postMessage({ error: error.message }, '*')
}
