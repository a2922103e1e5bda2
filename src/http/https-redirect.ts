import { createServer, type IncomingMessage, type Server } from 'node:http'
import { answerClientError } from './client-error.ts'
import { headersOfEveryAnswer } from './every-answer.ts'
import { refuseBadHost } from './request-head.ts'
import { badRequest, Refusal } from './refusal.ts'

/**
 * A server of plain HTTP that sends everyone to the same address over HTTPS, with the same method
 * and content (RFC 9110 §15.4.9).
 */
export function createHttpsRedirect(httpsPort: number): Server {
  const port = httpsPort === 443 ? '' : `:${String(httpsPort)}`
  return createServer({ requireHostHeader: false }, (request, response) => {
    const refusal = findRefusal(request)
    if (refusal) {
      response.writeHead(refusal.status, headersOfEveryAnswer).end()
      return
    }
    const { headers, url: path = '/' } = request
    const { hostname } = new URL(`http://${headers.host ?? ''}`)
    const location = `https://${hostname}${port}${path}`
    response.writeHead(308, { ...headersOfEveryAnswer, location, 'content-length': 0 }).end()
  }).on('clientError', answerClientError)
}

function findRefusal(request: IncomingMessage): Refusal | undefined {
  try {
    refuseBadHost(request)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  // HTTP/1.0 may come without a host, and then there is no address to send it to.
  const isComplete = request.headers.host !== undefined && request.url?.startsWith('/')
  return isComplete ? undefined : badRequest('There is no address to go to.')
}
