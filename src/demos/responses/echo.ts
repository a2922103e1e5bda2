import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { readBytes } from '../../http/body/read-bytes.ts'
import { text, textContent } from '../../http/openapi/content.ts'
import { toRawRequest } from '../../http/request/raw-request.ts'
import { ownCookies, withoutCookies } from '../../http/security/visitor-response.ts'
import type { ResponseDescription } from '../../responses/description.ts'
import { sendDescribed } from '../../responses/send.ts'
import { cookiePath, forAnyMethod, toObject, type ToRoutes } from './endpoint.ts'

const example = 'GET /responses/echo HTTP/1.1\r\nHost: vitrine.example\r\nAccept: */*\r\n\r\n'
const anyBody = { content: textContent('Hello') }

export const toEchoRoutes: ToRoutes = ({ config }, app) => [
  ...forAnyMethod(app, {
    url: '/responses/echo',
    file: 'src/demos/responses/echo.ts',
    summary: 'Respond with the request as it was sent',
    description:
      'The request line, the headers in their order and case, and the body without the coding of the transfer. The cookies of the service are left out.',
    requestBody: anyBody,
    content: { 'message/http': { schema: text, example } },
    errors: [413],
    handler: async (request, reply) =>
      sendDescribed(reply, await describeRequest(request, config), { config, cookiePath }),
  }),
  ...forAnyMethod(app, {
    url: '/responses/echo/body',
    file: 'src/demos/responses/echo.ts',
    summary: 'Respond with the body of the request',
    description: 'It keeps its Content-Type, Content-Encoding and Content-Language.',
    requestBody: anyBody,
    content: { '*/*': {} },
    errors: [413],
    handler: async (request, reply) =>
      sendDescribed(reply, await describeBody(request, config), { config, cookiePath }),
  }),
]

async function describeRequest(
  request: FastifyRequest,
  config: Config,
): Promise<ResponseDescription> {
  const { method, target, headers } = toRawRequest(request)
  const { httpVersion } = request.raw
  const lines = withoutCookies(headers, ownCookies).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/${httpVersion}`, ...lines, '', ''].join('\r\n')
  const body = await readBytes(request.raw, config)
  const message = Buffer.concat([Buffer.from(head, 'latin1'), body])
  return { type: 'message/http', base64: message.toString('base64') }
}

/** These describe the bytes of the body. */
const ofBody = /^content-(type|encoding|language)$/i

async function describeBody(request: FastifyRequest, config: Config): Promise<ResponseDescription> {
  const { headers } = toRawRequest(request)
  const body = await readBytes(request.raw, config)
  return {
    headers: toObject(headers.filter(([name]) => ofBody.test(name))),
    base64: body.toString('base64'),
  }
}
