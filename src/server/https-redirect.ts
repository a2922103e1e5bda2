import type { IncomingMessage, Server } from 'node:http'
import type { Config } from '../config/config.ts'
import { respondToClientError } from './connection-errors.ts'
import { defaultHeaders, defaultErrorHeaders } from '../http/response/default-headers.ts'
import { createServer } from '../http/node-http.ts'
import { assertRequestHead, assertHostAllowed } from '../http/request/request-head.ts'
import { catchHttpError } from '../http/request/request-guards.ts'
import { badRequest, type HttpError } from '../http/errors/http-error.ts'
import { applyServerLimits, toLimits } from './server.ts'
import { toRoutedUrl } from '../http/request/target.ts'

/**
 * Creates a server that redirects plain HTTP to HTTPS, with method and body (RFC 9110 §15.4.9).
 */
export function createHttpsRedirect(config: Config, httpsPort: number): Server {
  const port = httpsPort === 443 ? '' : `:${String(httpsPort)}`
  const server = createServer(toLimits(config), (request, response) => {
    request.url = toRoutedUrl(request)
    // Node discards what follows a request with Upgrade on its connection.
    if (request.headers.upgrade !== undefined) response.setHeader('connection', 'close')
    const error = findRequestError(request, config)
    if (error) {
      const text = `${error.message}\n`
      const headers = {
        ...defaultErrorHeaders,
        ...error.headers,
        'content-type': 'text/plain; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      }
      response.writeHead(error.status, headers).end(text)
      return
    }
    const { headers, url: path = '/' } = request
    const { hostname } = new URL(`http://${headers.host ?? ''}`)
    const location = `https://${hostname}${port}${path}`
    response.writeHead(308, { ...defaultHeaders, location, 'content-length': 0 }).end()
  })
  applyServerLimits(server.on('clientError', respondToClientError), config)
  return server
}

function findRequestError(request: IncomingMessage, config: Config): HttpError | undefined {
  return catchHttpError(() => {
    assertRequestHead(request, config)
    assertHostAllowed(config.allowedHosts, request.headers.host)
    // HTTP/1.0 may omit Host.
    const isComplete = request.headers.host !== undefined && request.url?.startsWith('/')
    if (!isComplete) throw badRequest('The request has no host to redirect to.')
  })
}
