import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config/config.ts'
import { createServer } from '../http/node-http.ts'
import { toLimits } from '../server/server.ts'
import { isAllowedHost, isLoopback, localHosts } from '../http/security/allowed-hosts.ts'
import { toPath, toRoutedUrl } from '../http/request/target.ts'
import { toProbeResponse, type ReadinessState } from './readiness.ts'

export interface AdminSource {
  readReadiness: () => Promise<ReadinessState>
  /** In the text format of Prometheus. */
  readMetrics: () => Promise<string>
}

interface AdminResponse {
  code: number
  headers?: Readonly<Record<string, string>>
  type?: string
  text: string
}

type Pages = ReadonlyMap<string, () => Promise<AdminResponse>>

/** Opens ADMIN_PORT; returns the function that closes it. Not a demo: other sites must not read it. */
export async function openAdminServer(
  config: Config & { adminPort: number },
  source: AdminSource,
): Promise<() => void> {
  const { adminHost: host, adminPort } = config
  const allowedHosts = isLoopback(host)
    ? [...localHosts, ...config.allowedHosts.filter((name) => name !== '*')]
    : ['*']
  const pages = createPages(source)
  const server = createServer(toLimits(config), (request, response) => {
    void respond(request, pages, allowedHosts).then((content) => {
      send(request, response, content)
    })
  })
  server.maxConnections = config.maxConnections
  server.listen(adminPort, host)
  await once(server, 'listening')
  const bound = server.address()
  if (typeof bound === 'object' && bound) {
    const shown = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
    const origin = `http://${shown}:${String(bound.port)}`
    console.log(`Health checks and metrics are available at ${origin}`)
  }
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

function createPages({ readReadiness, readMetrics }: AdminSource): Pages {
  const toJson = ({ content, ...head }: ReturnType<typeof toProbeResponse>) => {
    return { ...head, type: 'application/json; charset=utf-8', text: JSON.stringify(content) }
  }
  const live = { code: 200, type: 'application/json; charset=utf-8', text: '{"status":"live"}' }
  return new Map([
    ['/health/live', () => Promise.resolve(live)],
    ['/health/ready', async () => toJson(toProbeResponse(await readReadiness()))],
    [
      '/metrics',
      async () => ({
        code: 200,
        // https://prometheus.io/docs/instrumenting/exposition_formats/
        type: 'text/plain; version=0.0.4; charset=utf-8',
        text: await readMetrics(),
      }),
    ],
  ])
}

async function respond(
  request: IncomingMessage,
  pages: Pages,
  allowedHosts: readonly string[],
): Promise<AdminResponse> {
  const path = toPath(toRoutedUrl(request))
  const { method = '', headers } = request
  const isOther = headers.host !== undefined && !isAllowedHost(headers.host, allowedHosts)
  // Health checks are sent to any address of the machine.
  if (isOther && !path.startsWith('/health/')) {
    return { code: 421, text: 'This host is not allowed.\n' }
  }
  const readPage = pages.get(path)
  if (readPage === undefined) return { code: 404, text: 'Not found.\n' }
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, headers: { allow: 'GET, HEAD' }, text: 'Only GET and HEAD are allowed.\n' }
  }
  try {
    return await readPage()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(`vitrine: a request to ADMIN_PORT failed: ${reason}`)
    return { code: 500, text: 'Internal server error.\n' }
  }
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { code, headers, type = 'text/plain; charset=utf-8', text }: AdminResponse,
): void {
  response.writeHead(code, {
    ...headers,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': type,
    'content-length': Buffer.byteLength(text),
  })
  response.end(method === 'HEAD' ? undefined : text)
}
