import type { DialectRequest } from '../dialect.ts'
import { forAny, forOnly, inGoOnly, toEndpoint } from '../endpoint.ts'
import { renderAs, renderJson, toRequestMembers } from '../render.ts'
import { findFirst } from '../text.ts'

const renderRequest = (request: DialectRequest) => renderJson(request, toRequestMembers(request))

const any = { methods: forAny, readsBody: true }
const anyInGo = { methods: inGoOnly('*'), readsBody: true }
const writesInGo = { methods: inGoOnly('POST', 'PUT', 'PATCH'), readsBody: true }

export const inspectEndpoints = [
  toEndpoint('/get', 'Return a GET request as JSON', { methods: forOnly('GET') }, renderRequest),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) =>
    toEndpoint(
      `/${method.toLowerCase()}`,
      `Return a ${method} request with its body as JSON`,
      { methods: forOnly(method), readsBody: true },
      (request) => renderJson(request, toRequestMembers(request, { hasBody: true })),
    ),
  ),
  toEndpoint('/head', 'The head for /get', { methods: inGoOnly('HEAD') }, renderRequest),
  ...['/anything', '/anything/*'].map((path) =>
    toEndpoint(path, 'Return any request as JSON', any, (request) => {
      const hasBody = request.method !== 'HEAD' || request.dialect.isPython
      return renderJson(request, toRequestMembers(request, { hasBody, hasMethod: true }))
    }),
  ),
  toEndpoint('/upload', 'Return the size of the body', writesInGo, (request) => {
    const members = toRequestMembers(request).set('bytes_received', request.body.length)
    return renderJson(request, members)
  }),
  toEndpoint('/headers', 'Return the headers of the request', (request) =>
    renderJson(request, { headers: request.dialect.toHeaders(request) }),
  ),
  toEndpoint('/ip', 'Return the IP address of the client', (request) => {
    const { isPython, textType, toOrigin } = request.dialect
    const origin = toOrigin(request)
    const isText = !isPython && findFirst(request.query, 'format') === 'text'
    return isText ? renderAs(textType, `${origin}\n`) : renderJson(request, { origin })
  }),
  toEndpoint('/user-agent', 'Return the User-Agent header', (request) => {
    const { toHeaders, isPython } = request.dialect
    const [value = isPython ? null : ''] = [toHeaders(request).get('User-Agent')].flat()
    return renderJson(request, { 'user-agent': value })
  }),
  // The names of headers keep their case and order, unlike in go-httpbin.
  toEndpoint('/dump/request', 'Return the bytes of the request', anyInGo, (request) => {
    const { method, target, fastify, headers, body, dialect } = request
    const lines = headers.map(([name, value]) => `${name}: ${value}`)
    const head = [`${method} ${target} HTTP/${fastify.raw.httpVersion}`, ...lines, '', '']
    const bytes = Buffer.from(head.join('\r\n'), 'latin1')
    return renderAs(dialect.textType, Buffer.concat([bytes, body]))
  }),
]
