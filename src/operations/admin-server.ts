import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { createServer } from '../http/node-http.ts'
import { ignoreSocketErrors } from '../server/connections.ts'
import { failToListen, toServerLimits } from '../server/server.ts'
import { isLoopback, localHosts } from '../config/hosts.ts'
import { isAllowedHost } from '../http/security/origins.ts'
import { toPath, toRoutedUrl } from '../http/request/target.ts'
import { toProbeResponse, type ReadinessState } from './readiness.ts'

interface AdminSource {
  readReadiness: () => Promise<ReadinessState>
  readMetrics: () => Promise<string>
}

type AdminResponse = Promise<{ code?: number; headers?: Record<string, string>; text: string }>

/** Opens ADMIN_PORT; returns the function that closes it. Not a demo: other sites must not read it. */
export async function openAdminServer(config: Config, source: AdminSource): Promise<() => void> {
  const server = createServer(toServerLimits(config), (request, response) => {
    void createResponse(request, config, source).then(({ code = 200, headers, text }) => {
      const head = { ...adminHeaders, 'content-length': Buffer.byteLength(text), ...headers }
      response.writeHead(code, head).end(text)
    })
  })
  ignoreSocketErrors(server)
  server.maxConnections = config.maxConnections
  const { adminHost: host, adminPort: port } = config
  await once(server.listen(port, host), 'listening').catch(failToListen('ADMIN_PORT', host, port))
  const bound = server.address()
  if (typeof bound === 'object' && bound) {
    const hostname = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
    const origin = `http://${hostname}:${String(bound.port)}`
    const paths = [...pages.keys()].join(', ')
    console.log(`Health checks and metrics are available at ${origin}${paths}`)
  }
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

async function createResponse(request: IncomingMessage, config: Config, source: AdminSource) {
  const path = toPath(toRoutedUrl(request))
  const { method = '', headers } = request
  // Health checks are sent to any address of the machine.
  if (!path.startsWith('/health/') && !isAllowed(headers.host, config)) {
    return { code: 421, text: 'This host is not allowed.\n' }
  }
  const readPage = pages.get(path)
  if (readPage === undefined) return { code: 404, text: 'Not found.\n' }
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, headers: { allow: 'GET, HEAD' }, text: 'Only GET and HEAD are allowed.\n' }
  }
  try {
    return await readPage(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(`vitrine: a request to ADMIN_PORT failed: ${reason}`)
    return { code: 500, text: 'Internal server error.\n' }
  }
}

function isAllowed(host: string | undefined, { adminHost, allowedHosts }: Config): boolean {
  if (host === undefined || !isLoopback(adminHost)) return true
  return isAllowedHost(host, [...localHosts, ...allowedHosts.filter((name) => name !== '*')])
}

const adminHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-type': 'text/plain; charset=utf-8',
}
const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }
// https://prometheus.io/docs/instrumenting/exposition_formats/
const metricsHeaders = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }

const pages = new Map(
  Object.entries<(source: AdminSource) => AdminResponse>({
    '/health/live': async () => ({ headers: jsonHeaders, text: '{"status":"live"}' }),
    '/health/ready': async ({ readReadiness }) => {
      const { code, headers, content } = toProbeResponse(await readReadiness())
      return { code, headers: { ...headers, ...jsonHeaders }, text: JSON.stringify(content) }
    },
    '/metrics': async ({ readMetrics }) => ({ headers: metricsHeaders, text: await readMetrics() }),
  }),
)
