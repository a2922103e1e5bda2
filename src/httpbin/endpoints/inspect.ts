import type { VisitorResponse } from '../../http/response/send-visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { forAny, forOnly, inGoOnly, toEndpoint } from '../endpoint.ts'
import { renderJson, renderText, toRequestMembers } from '../render.ts'
import { findValue } from '../text.ts'

export const inspectEndpoints = [
  toEndpoint('/get', 'Return a GET request as JSON', renderHead, { methods: forOnly('GET') }),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) =>
    toEndpoint(
      `/${method.toLowerCase()}`,
      `Return a ${method} request with its body as JSON`,
      (request) => renderJson(request, toRequestMembers(request, { hasBody: true })),
      { methods: forOnly(method), readsBody: true },
    ),
  ),
  toEndpoint('/head', 'The head for /get', renderHead, { methods: inGoOnly('HEAD') }),
  ...['/anything', '/anything/*'].map((path) =>
    toEndpoint(path, 'Return any request as JSON', renderAnything, {
      methods: forAny,
      readsBody: true,
    }),
  ),
  toEndpoint('/upload', 'Return the size of the body', renderUpload, {
    methods: inGoOnly('POST', 'PUT', 'PATCH'),
    readsBody: true,
  }),
  toEndpoint('/headers', 'Return the headers of the request', (request) =>
    renderJson(request, { headers: request.dialect.toHeaders(request) }),
  ),
  toEndpoint('/ip', 'Return the IP address of the client', renderIp),
  toEndpoint('/user-agent', 'Return the User-Agent header', renderUserAgent),
  toEndpoint('/dump/request', 'Return the bytes of the request', dump, {
    methods: inGoOnly('*'),
    readsBody: true,
  }),
]

function renderHead(request: DialectRequest): VisitorResponse {
  return renderJson(request, toRequestMembers(request))
}

function renderAnything(request: DialectRequest): VisitorResponse {
  const hasBody = request.method !== 'HEAD' || request.dialect.isPython
  return renderJson(request, toRequestMembers(request, { hasBody, hasMethod: true }))
}

function renderUpload(request: DialectRequest): VisitorResponse {
  const { length } = request.body
  return renderJson(request, toRequestMembers(request).set('bytes_received', length))
}

function renderIp(request: DialectRequest): VisitorResponse {
  const { toOrigin, isPython } = request.dialect
  const origin = toOrigin(request)
  const isText = !isPython && findValue(request.query, 'format') === 'text'
  return isText ? renderText(request, `${origin}\n`) : renderJson(request, { origin })
}

function renderUserAgent(request: DialectRequest): VisitorResponse {
  const { toHeaders, isPython } = request.dialect
  const [value = isPython ? null : ''] = [toHeaders(request).get('User-Agent')].flat()
  return renderJson(request, { 'user-agent': value })
}

/** The names of headers keep their case and order, unlike in go-httpbin. */
function dump(request: DialectRequest): VisitorResponse {
  const { method, target, fastify, headers, body } = request
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/${fastify.raw.httpVersion}`, ...lines, '', '']
  return renderText(request, Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]))
}
