import type { Dialect, DialectRequest } from './dialect.ts'
import { forOnly, toEndpoint } from './endpoint.ts'
import { authEndpoints as auth } from './endpoints/auth.ts'
import { byteEndpoints as bytes } from './endpoints/bytes.ts'
import { cookieEndpoints as cookies } from './endpoints/cookies.ts'
import { formatEndpoints as formats } from './endpoints/formats.ts'
import { headerEndpoints as headers } from './endpoints/headers.ts'
import { inspectEndpoints as inspect } from './endpoints/inspect.ts'
import { redirects as redirects } from './endpoints/redirects.ts'
import { statusEndpoints as status } from './endpoints/status.ts'
import { timedEndpoints as timed } from './endpoints/timed.ts'
import { webSocketEndpoints as websocket } from './endpoints/websocket.ts'
import { renderOwnPage } from './render.ts'
import { renderEndpoints } from './views.ts'

const index = toEndpoint('/', 'List the endpoints', { methods: forOnly('GET') }, renderIndex)

const all = { inspect, status, auth, cookies, redirects, headers, formats, bytes, timed, websocket }

export const endpoints = [
  { ...index, file: 'src/httpbin/endpoints.ts' },
  ...Object.entries(all).flatMap(([name, declared]) =>
    declared.map((endpoint) => ({ ...endpoint, file: `src/httpbin/endpoints/${name}.ts` })),
  ),
]

export function listEndpoints({ name }: Dialect) {
  return endpoints.flatMap((endpoint) => {
    const methods = endpoint.methods[name]
    return methods ? [{ ...endpoint, methods }] : []
  })
}

/** The list of endpoints is at the prefix. At the root, the home page is in its place. */
function renderIndex({ prefix, dialect }: DialectRequest) {
  const others = listEndpoints(dialect).filter(({ path }) => path !== '/')
  return renderOwnPage(renderEndpoints(others, { prefix, dialect }))
}
