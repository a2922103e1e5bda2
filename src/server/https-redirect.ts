import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { defaultHeaders, toTextErrorHeaders } from '../http/response/default-headers.ts'
import { createServer } from '../http/node-http.ts'
import { assertHost, assertRequestHead, catchHttpError } from '../http/request/request-head.ts'
import { badRequest, type HttpError } from '../http/errors/http-error.ts'
import { limitConnections } from '../limits/limits.ts'
import type { RequestHandler } from './connections.ts'
import { applyServerLimits, failToListen, toServerLimits } from './server.ts'
import { toRoutedUrl } from '../http/request/target.ts'

type FindBlock = (raw: IncomingMessage) => HttpError | undefined

export async function openHttpsRedirect(config: Config, origin: URL, findBlock: FindBlock) {
  const server = createServer(toServerLimits(config))
  applyServerLimits(
    server,
    config,
    createRedirect(config, { port: origin.port && `:${origin.port}`, findBlock }),
  )
  limitConnections(server, config)
  const fail = failToListen('REDIRECT_HTTP_PORT', config.host, config.redirectHttpPort)
  await once(server.listen(config.redirectHttpPort, config.host), 'listening').catch(fail)
  const bound = server.address()
  return { server, port: typeof bound === 'string' ? bound : String(bound?.port) }
}

/** Redirects plain HTTP to HTTPS, with method and body (RFC 9110 §15.4.9). */
function createRedirect(
  config: Config,
  { port, findBlock }: { port: string; findBlock: FindBlock },
): RequestHandler {
  const routing: RequestHandler['routing'] = (request, response) => {
    request.url = toRoutedUrl(request)
    const { host, upgrade } = request.headers
    // Node discards what follows a request with Upgrade on its connection.
    if (upgrade !== undefined) response.setHeader('connection', 'close')
    const headError = catchHttpError(() => {
      assertRequestHead(request, config)
      assertHost(config.allowedHosts, host)
      const isComplete = host !== undefined && request.url?.startsWith('/')
      if (!isComplete) throw badRequest('The request has no host to redirect to.')
    })
    const error = findBlock(request) ?? headError
    if (error) {
      const text = `${error.message}\n`
      const headers = { ...toTextErrorHeaders(text), ...error.headers }
      response.writeHead(error.status, headers).end(text)
      return
    }
    const { hostname } = new URL(`http://${host ?? ''}`)
    const location = `https://${hostname}${port}${request.url}`
    response.writeHead(308, { ...defaultHeaders, location, 'content-length': 0 }).end()
  }
  return { routing }
}
