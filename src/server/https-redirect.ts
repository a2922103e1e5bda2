import type { IncomingMessage, Server } from 'node:http'
import type { Config } from '../config/config.ts'
import { respondToClientError } from './connection-errors.ts'
import { defaultHeaders, defaultErrorHeaders } from '../http/response/default-headers.ts'
import { createServer } from '../http/node-http.ts'
import { assertRequestHead, assertHostAllowed } from '../http/request/request-head.ts'
import { badRequest, HttpError } from '../http/errors/http-error.ts'
import { applyServerLimits, toLimits } from './server.ts'
import { toRoutedUrl } from '../http/request/target.ts'

/**
 * A server of plain HTTP that sends everyone to the same address over HTTPS, with the same method
 * and content (RFC 9110 §15.4.9).
 */
export function createHttpsRedirect(config: Config, httpsPort: number): Server {
  const port = httpsPort === 443 ? '' : `:${String(httpsPort)}`
  const server = createServer(toLimits(config), (request, response) => {
    request.url = toRoutedUrl(request)
    const refusal = findRefusal(request, config)
    if (refusal) {
      const text = `${refusal.message}\n`
      const headers = {
        ...defaultErrorHeaders,
        ...refusal.headers,
        'content-type': 'text/plain; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      }
      response.writeHead(refusal.status, headers).end(text)
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

function findRefusal(request: IncomingMessage, config: Config): HttpError | undefined {
  try {
    assertRequestHead(request, config)
    assertHostAllowed(config.allowedHosts, request.headers.host)
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
  // HTTP/1.0 may come without a host, and then there is no address to send it to.
  const isComplete = request.headers.host !== undefined && request.url?.startsWith('/')
  return isComplete ? undefined : badRequest('There is no address to go to.')
}
