import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '../config/config.ts'
import { createServer } from '../http/node-http.ts'
import { toLimits } from '../server/server.ts'
import { isAllowedHost, isLoopback, localHosts } from '../http/security/allowed-hosts.ts'
import { toPath, toRoutedUrl } from '../http/request/target.ts'
import { toProbeResponse, type ReadinessState } from './readiness.ts'

/** What can be asked at the admin port besides whether anybody is there. */
export interface AdminSource {
  readReadiness: () => Promise<ReadinessState>
  /** In the text format of Prometheus. */
  readMetrics: () => Promise<string>
}

interface Answer {
  code: number
  headers?: Readonly<Record<string, string>>
  type?: string
  text: string
}

const plainText = 'text/plain; charset=utf-8'

/**
 * Opens ADMIN_PORT and says where; gives the function that closes it, whoever is still connected.
 * Not a room: whoever runs the service asks here, and pages of other sites learn nothing.
 */
export async function openAdminServer(
  config: Config & { adminPort: number },
  source: AdminSource,
): Promise<() => void> {
  const { adminHost: host, adminPort } = config
  const allowedHosts = isLoopback(host)
    ? [...localHosts, ...config.allowedHosts.filter((name) => name !== '*')]
    : ['*']
  const server = createServer(toLimits(config), (request, response) => {
    void respond(request, source, allowedHosts).then((found) => {
      send(request, response, found)
    })
  })
  server.maxConnections = config.maxConnections
  server.listen(adminPort, host)
  await once(server, 'listening')
  const { address, port, family } = server.address() as AddressInfo
  const shown = family === 'IPv6' ? `[${address}]` : address
  console.log(`Probes and metrics are open at http://${shown}:${String(port)}`)
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

async function respond(
  request: IncomingMessage,
  source: AdminSource,
  allowedHosts: readonly string[],
): Promise<Answer> {
  const path = toPath(toRoutedUrl(request))
  const { method = '', headers } = request
  // Probes call it by any address.
  const isOther = headers.host !== undefined && !isAllowedHost(headers.host, allowedHosts)
  if (isOther && !path.startsWith('/health/')) {
    return { code: 421, text: 'This host is not served here.\n' }
  }
  const find = findPage(path, source)
  if (find === undefined) return { code: 404, text: 'There is nothing here.\n' }
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, headers: { allow: 'GET, HEAD' }, text: 'This is only for reading.\n' }
  }
  try {
    return await find()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(`vitrine: ADMIN_PORT has no answer: ${reason}`)
    return { code: 500, text: 'Something is broken here.\n' }
  }
}

function findPage(
  path: string,
  { readReadiness, readMetrics }: AdminSource,
): (() => Promise<Answer>) | undefined {
  switch (path) {
    case '/health/live':
      return () => Promise.resolve(toJson({ code: 200, content: { status: 'live' } }))
    case '/health/ready':
      return async () => toJson(toProbeResponse(await readReadiness()))
    case '/metrics':
      return async () => ({
        code: 200,
        // https://prometheus.io/docs/instrumenting/exposition_formats/
        type: 'text/plain; version=0.0.4; charset=utf-8',
        text: await readMetrics(),
      })
    default:
      return undefined
  }
}

function toJson({ content, ...head }: { code: number; content: object }): Answer {
  return { ...head, type: 'application/json; charset=utf-8', text: JSON.stringify(content) }
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { code, headers, type = plainText, text }: Answer,
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
