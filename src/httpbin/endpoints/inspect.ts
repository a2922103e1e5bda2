import type { BinRequest, BinResponse } from '../dialect.ts'
import { allMethods, forAny, forOnly, inGoOnly, type Endpoint } from '../endpoint.ts'
import { describe, renderJson, renderText } from '../render.ts'
import { findValue } from '../text.ts'

const renderRequest = (request: BinRequest) => renderJson(request, describe(request))

const renderBody = (request: BinRequest) =>
  renderJson(request, describe(request, { hasBody: true }))

function renderAnything(request: BinRequest): BinResponse {
  const hasBody = request.method !== 'HEAD' || request.dialect.isPython
  return renderJson(request, describe(request, { hasBody, hasMethod: true }))
}

const toBodyEndpoint = (method: string): Endpoint => ({
  path: `/${method.toLowerCase()}`,
  methods: forOnly(method),
  summary: `Return a ${method} request with its body as JSON`,
  readsBody: true,
  handler: renderBody,
})

const anything = {
  methods: forAny,
  summary: 'Return any request as JSON',
  readsBody: true,
  handler: renderAnything,
}

export const inspectEndpoints: readonly Endpoint[] = [
  {
    path: '/get',
    methods: forOnly('GET'),
    summary: 'Return a GET request as JSON',
    handler: renderRequest,
  },
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map(toBodyEndpoint),
  {
    path: '/head',
    methods: inGoOnly('HEAD'),
    summary: 'The head for /get',
    handler: renderRequest,
  },
  { path: '/anything', ...anything },
  { path: '/anything/*', ...anything },
  {
    path: '/upload',
    methods: inGoOnly('POST', 'PUT', 'PATCH'),
    summary: 'Return the size of the body',
    readsBody: true,
    handler: (request) =>
      renderJson(request, describe(request).set('bytes_received', request.body.length)),
  },
  {
    path: '/headers',
    summary: 'Return the headers of the request',
    handler: (request) => renderJson(request, { headers: request.dialect.toHeaders(request) }),
  },
  { path: '/ip', summary: 'Return the IP address of the client', handler: renderIp },
  {
    path: '/user-agent',
    summary: 'Return the User-Agent header',
    handler: (request) => {
      const { toHeaders, isPython } = request.dialect
      const [value] = [toHeaders(request).get('User-Agent')].flat()
      const fallback = isPython ? null : ''
      return renderJson(request, { 'user-agent': value ?? fallback })
    },
  },
  {
    path: '/dump/request',
    methods: inGoOnly(...allMethods),
    summary: 'Return the bytes of the request',
    readsBody: true,
    handler: dump,
  },
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
