import type { BinRequest, BinResponse } from '../dialect.ts'
import { forAny, forOnly, inGoOnly, toEndpoint, type Endpoint } from '../endpoint.ts'
import { describe, renderJson, renderText } from '../render.ts'
import { findValue } from '../text.ts'

const renderRequest = (request: BinRequest) => renderJson(request, describe(request))

const renderBody = (request: BinRequest) =>
  renderJson(request, describe(request, { hasBody: true }))

function renderAnything(request: BinRequest): BinResponse {
  const hasBody = request.method !== 'HEAD' || request.dialect.isPython
  return renderJson(request, describe(request, { hasBody, hasMethod: true }))
}

const toBodyEndpoint = (method: string): Endpoint =>
  toEndpoint(
    `/${method.toLowerCase()}`,
    `Return a ${method} request with its body as JSON`,
    renderBody,
    { methods: forOnly(method), readsBody: true },
  )

const anything = {
  methods: forAny,
  summary: 'Return any request as JSON',
  readsBody: true,
  handler: renderAnything,
}

export const inspectEndpoints: readonly Endpoint[] = [
  toEndpoint('/get', 'Return a GET request as JSON', renderRequest, { methods: forOnly('GET') }),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map(toBodyEndpoint),
  toEndpoint('/head', 'The head for /get', renderRequest, { methods: inGoOnly('HEAD') }),
  { path: '/anything', ...anything },
  { path: '/anything/*', ...anything },
  toEndpoint(
    '/upload',
    'Return the size of the body',
    (request) => renderJson(request, describe(request).set('bytes_received', request.body.length)),
    { methods: inGoOnly('POST', 'PUT', 'PATCH'), readsBody: true },
  ),
  toEndpoint('/headers', 'Return the headers of the request', (request) =>
    renderJson(request, { headers: request.dialect.toHeaders(request) }),
  ),
  toEndpoint('/ip', 'Return the IP address of the client', renderIp),
  toEndpoint('/user-agent', 'Return the User-Agent header', (request) => {
    const { toHeaders, isPython } = request.dialect
    const [value] = [toHeaders(request).get('User-Agent')].flat()
    const fallback = isPython ? null : ''
    return renderJson(request, { 'user-agent': value ?? fallback })
  }),
  toEndpoint('/dump/request', 'Return the bytes of the request', dump, {
    methods: inGoOnly('*'),
    readsBody: true,
  }),
]

function renderIp(request: BinRequest): BinResponse {
  const { toOrigin, isPython } = request.dialect
  const origin = toOrigin(request)
  const isText = !isPython && findValue(request.query, 'format') === 'text'
  return isText ? renderText(request, `${origin}\n`) : renderJson(request, { origin })
}

/** The names of headers keep their case and order, unlike in go-httpbin. */
function dump(request: BinRequest): BinResponse {
  const { method, target, fastify, headers, body } = request
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/${fastify.raw.httpVersion}`, ...lines, '', '']
  return renderText(request, Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]))
}
