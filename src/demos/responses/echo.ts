import { readBytes } from '../../http/body/read-bytes.ts'
import { text, textContent } from '../../http/openapi/content.ts'
import { toRawRequest } from '../../http/request/raw-request.ts'
import { ownCookies, withoutCookies } from '../../http/security/visitor-response.ts'
import { toObject } from '../../responses/read-description.ts'
import type { ResponseEndpoint } from './endpoint.ts'

const example = 'GET /responses/echo HTTP/1.1\r\nHost: vitrine.example\r\nAccept: */*\r\n\r\n'
const anyBody = { content: textContent('Hello') }

/** These describe the bytes of the body. */
const ofBody = /^content-(type|encoding|language)$/i

export const echoEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/echo',
    summary: 'Respond with the request as it was sent',
    description:
      'The request line, the headers in their order and case, and the body without the coding of the transfer. The cookies of the service are left out.',
    requestBody: anyBody,
    content: { 'message/http': { schema: text, example } },
    errors: [413],
    describe: async (request, { config }) => {
      const { method, target, headers } = toRawRequest(request)
      const { httpVersion } = request.raw
      const lines = withoutCookies(headers, ownCookies).map(([name, value]) => `${name}: ${value}`)
      const head = [`${method} ${target} HTTP/${httpVersion}`, ...lines, '', ''].join('\r\n')
      const body = await readBytes(request.raw, config)
      const message = Buffer.concat([Buffer.from(head, 'latin1'), body])
      return { type: 'message/http', base64: message.toString('base64') }
    },
  },
  {
    url: '/responses/echo/body',
    summary: 'Respond with the body of the request',
    description: 'It keeps its Content-Type, Content-Encoding and Content-Language.',
    requestBody: anyBody,
    content: { '*/*': {} },
    errors: [413],
    describe: async (request, { config }) => {
      const { headers } = toRawRequest(request)
      const body = await readBytes(request.raw, config)
      return {
        headers: toObject(headers.filter(([name]) => ofBody.test(name))),
        base64: body.toString('base64'),
      }
    },
  },
]
