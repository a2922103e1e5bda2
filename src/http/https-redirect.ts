import { createServer, type Server } from 'node:http'
import { answerClientError } from './client-error.ts'
import { headersOfEveryAnswer } from './every-answer.ts'

/**
 * A server of plain HTTP that sends everyone to the same address over HTTPS, with the same method
 * and content (RFC 9110 §15.4.9).
 */
export function createHttpsRedirect(httpsPort: number): Server {
  const port = httpsPort === 443 ? '' : `:${String(httpsPort)}`
  return createServer((request, response) => {
    const { host = '' } = request.headers
    const base = `http://${host}`
    const path = request.url ?? '/'
    if (!URL.canParse(base) || !path.startsWith('/')) {
      response.writeHead(400, headersOfEveryAnswer).end()
      return
    }
    const location = `https://${new URL(base).hostname}${port}${path}`
    response.writeHead(308, { ...headersOfEveryAnswer, location, 'content-length': 0 }).end()
  }).on('clientError', answerClientError)
}
