import type { FastifyReply, FastifyRequest } from 'fastify'
import { toReasonPhrase } from '../../http/errors/http-error.ts'
import { textContent } from '../../http/openapi/content.ts'
import { toPathParameter } from '../../http/request/path-parameter.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'

const requested = {
  description: 'The requested status code.',
  content: textContent('200 OK\n'),
}

/** `/status/:code` with any method: a response with that status code and the headers it needs. */
export const status: Demo = {
  name: 'status',
  title: 'Status',
  summary: 'Responds with any status code from 200 to 599.',
  links: [302, 304, 403, 404, 500].map((code) => ({
    href: `/status/${String(code)}`,
    label: `${String(code)} ${toReasonPhrase(code) ?? ''}`,
  })),
  tryOut: { method: 'GET', path: '/status/418' },
  routes: (_, { supportedMethods }) => [
    {
      // RFC 9110 §9.3.8: TRACE would send credentials back, so it is not supported.
      method: supportedMethods.filter((name) => name !== 'TRACE'),
      url: '/status/:code(^[2-5]\\d\\d$)',
      summary: 'Respond with a status code',
      description:
        'The response has the headers that the status code needs: Location with 3xx, WWW-Authenticate with 401, Retry-After with 429 and 503. 204, 205 and 304 have no content. The body of the request is ignored.',
      parameters: [
        {
          name: 'code',
          in: 'path',
          required: true,
          description: 'The status code.',
          schema: { type: 'integer', minimum: 200, maximum: 599 },
          example: 418,
        },
      ],
      responses: { '2XX': requested, '3XX': requested, '4XX': requested, '5XX': requested },
      errors: [404],
      // An invalid body must not change the status code.
      config: { readsBodyItself: true },
      handler: sendStatus,
    },
  ],
}

function sendStatus(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const text = toPathParameter(request, 'code')
  const code = Number(text)
  const content = `${text} ${toReasonPhrase(code) ?? 'Status'}\n`
  reply.code(code).headers(requiredHeaders(code, content.length))
  // A browser would store a permanent redirect for longer than the demo lasts.
  reply.header('cache-control', 'no-store')
  // RFC 9110 §15.3.5, §15.3.6, §15.4.5: these have no content.
  if (code === 204 || code === 205 || code === 304) return reply.send()
  return sendText(reply, content)
}

/** The headers that RFC 9110 §15 (RFC 6585 §4 for 429) requires or recommends. */
function requiredHeaders(code: number, size: number): Record<string, string> {
  switch (code) {
    case 206:
      return { 'content-range': `bytes 0-${String(size - 1)}/${String(size)}` }
    case 201:
      return { location: '/status/200' }
    case 304:
      return { etag: '"vitrine"' }
    case 401:
      return { 'www-authenticate': 'Vitrine realm="demonstration"' }
    case 405:
      return { allow: 'GET, HEAD' }
    case 407:
      return { 'proxy-authenticate': 'Vitrine realm="demonstration"' }
    case 416:
      return { 'content-range': 'bytes */0' }
    case 426:
      return { upgrade: 'h2c', connection: 'upgrade' }
    case 429:
    case 503:
      return { 'retry-after': '1' }
    default:
      // RFC 9110 §15.4.8, §15.4.9: 307 and 308 repeat the method, so the target takes any method.
      return code >= 300 && code < 400 ? { location: '/status/200' } : {}
  }
}
