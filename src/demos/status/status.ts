import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { toReasonPhrase } from '../../http/errors/http-error.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'
import { operations } from './operations.ts'

/** `/status/:code` by any method: that status, with what it needs to be well-formed. */
export const status: Demo = {
  name: 'status',
  title: 'Status',
  summary: 'Any status from 200 to 599, on request.',
  links: [302, 304, 403, 404, 500].map((code) => ({
    href: `/status/${String(code)}`,
    label: `${String(code)} ${toReasonPhrase(code) ?? ''}`,
  })),
  tryOut: { method: 'GET', path: '/status/418' },
  open: (app) => {
    describeRoutes(app, 'status', operations)
    // RFC 9110 §9.3.8: what a TRACE says back may be somebody's credentials, so there is none here.
    const method = app.supportedMethods.filter((name) => name !== 'TRACE')
    // Whatever the request brings, it gets the status it asks for.
    const config = { readsBodyItself: true }
    app.route({ method, url: '/status/:code(^[2-5]\\d\\d$)', config, handler: sendStatus })
  },
}

function sendStatus(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code: text } = request.params as { code: string }
  const code = Number(text)
  const content = `${text} ${toReasonPhrase(code) ?? 'Status'}\n`
  reply.code(code).headers(requiredHeaders(code, content.length))
  // A permanent redirect kept by a browser would outlive the demonstration.
  reply.header('cache-control', 'no-store')
  // RFC 9110 §15.3.5, §15.3.6, §15.4.5: no content comes with these.
  if (code === 204 || code === 205 || code === 304) return reply.send()
  return sendText(reply, content)
}

/** What RFC 9110 §15 (and RFC 6585 §4 for 429) requires or expects beside the status. */
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
