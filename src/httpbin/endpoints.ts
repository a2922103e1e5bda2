import type { Endpoint } from './endpoint.ts'
import { authEndpoints } from './endpoints/auth.ts'
import { byteEndpoints } from './endpoints/bytes.ts'
import { compressedEndpoints } from './endpoints/compressed.ts'
import { cookieEndpoints } from './endpoints/cookies.ts'
import { delayEndpoints } from './endpoints/delays.ts'
import { formatEndpoints } from './endpoints/formats.ts'
import { headerEndpoints } from './endpoints/headers.ts'
import { imageEndpoints } from './endpoints/images.ts'
import { toIndexEndpoint } from './endpoints/index-page.ts'
import { inspectEndpoints } from './endpoints/inspect.ts'
import { redirectEndpoints } from './endpoints/redirects.ts'
import { statusEndpoints } from './endpoints/status.ts'
import { streamEndpoints } from './endpoints/streams.ts'
import { webSocketEndpoints } from './endpoints/websocket.ts'

/** Both surfaces: `methods` of each endpoint shows in which it exists. By the name of their file. */
const groups: Readonly<Record<string, readonly Endpoint[]>> = {
  inspect: inspectEndpoints,
  status: statusEndpoints,
  auth: authEndpoints,
  cookies: cookieEndpoints,
  redirects: redirectEndpoints,
  headers: headerEndpoints,
  formats: formatEndpoints,
  compressed: compressedEndpoints,
  images: imageEndpoints,
  bytes: byteEndpoints,
  delays: delayEndpoints,
  streams: streamEndpoints,
  websocket: webSocketEndpoints,
}

const listed = Object.entries(groups).flatMap(([name, group]) =>
  group.map((endpoint) => ({ ...endpoint, file: `src/httpbin/endpoints/${name}.ts` })),
)

export const endpoints = [toIndexEndpoint(listed), ...listed]
