import {
  allMethods,
  forAny,
  forOnly,
  inGoOnly,
  type BinRequest,
  type BinResponse,
  type Dialect,
  type Endpoint,
} from '../dialect.ts'
import { describe, renderJson, renderText } from '../render.ts'
import { findValue } from '../text.ts'

const renderRequest = (request: BinRequest, dialect: Dialect) =>
  renderJson(dialect, describe(request, dialect))

const renderBody = (request: BinRequest, dialect: Dialect) =>
  renderJson(dialect, describe(request, dialect, { hasBody: true }))

function renderAnything(request: BinRequest, dialect: Dialect): BinResponse {
  const hasBody = request.method !== 'HEAD' || dialect.isPython
  return renderJson(dialect, describe(request, dialect, { hasBody, hasMethod: true }))
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
    handler: (request, dialect) =>
      renderJson(dialect, describe(request, dialect).set('bytes_received', request.body.length)),
  },
  {
    path: '/headers',
    summary: 'Return the headers of the request',
    handler: (request, dialect) => renderJson(dialect, { headers: dialect.toHeaders(request) }),
  },
  { path: '/ip', summary: 'Return the IP address of the client', handler: renderIp },
  {
    path: '/user-agent',
    summary: 'Return the User-Agent header',
    handler: (request, dialect) => {
      const [value] = [dialect.toHeaders(request).get('User-Agent')].flat()
      const fallback = dialect.isPython ? null : ''
      return renderJson(dialect, { 'user-agent': value ?? fallback })
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

function renderIp(request: BinRequest, dialect: Dialect): BinResponse {
  const origin = dialect.toOrigin(request)
  const isText = !dialect.isPython && findValue(request.query, 'format') === 'text'
  return isText ? renderText(dialect, `${origin}\n`) : renderJson(dialect, { origin })
}

/** The names of headers keep their case and order, unlike in go-httpbin. */
function dump(request: BinRequest, { textType }: Dialect): BinResponse {
  const { method, target, fastify, headers, body } = request
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/${fastify.raw.httpVersion}`, ...lines, '', '']
  const bytes = Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body])
  return { headers: [['Content-Type', textType]], body: bytes }
}
