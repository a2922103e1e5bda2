import { readBytes } from '../../http/body/read-bytes.ts'
import { text, textContent } from '../../http/openapi/content.ts'
import { toRawRequest, toTrailers } from '../../http/request/raw-request.ts'
import { ownCookies, withoutCookies } from '../../http/security/own-secrets.ts'
import { toObject } from '../../responses/read-description.ts'
import type { ResponseEndpoint } from './endpoint.ts'

const example = 'GET /responses/echo HTTP/1.1\r\nHost: vitrine.example\r\nAccept: */*\r\n\r\n'
const anyBody = { content: textContent('Hello') }

/** These describe the bytes of the body. */
const ofBody = /^content-(type|encoding|language)$/i

const toLines = (fields: Parameters<typeof withoutCookies>[0]) =>
  withoutCookies(fields, ownCookies).map(([name, value]) => `${name}: ${value}`)

const toBytes = (lines: readonly string[]) => Buffer.from(lines.join('\r\n'), 'latin1')

export const echoEndpoints: readonly ResponseEndpoint[] = [
  {
    url: '/responses/echo',
    summary: 'Respond with the request as it was sent',
    description:
      'The request line, the headers in their order and case, the body without the coding of the transfer, and the trailers on lines of their own. The cookies of the service are left out.',
    requestBody: anyBody,
    content: { 'message/http': { schema: text, example } },
    errors: [413],
    describe: async (request, { config }) => {
      const { method, target, headers } = toRawRequest(request)
      const { httpVersion } = request.raw
      const body = await readBytes(request.raw, config)
      const head = [`${method} ${target} HTTP/${httpVersion}`, ...toLines(headers), '', '']
      const trailers = toLines(toTrailers(request.raw))
      const end = trailers.length === 0 ? [] : ['', ...trailers, '']
      const message = Buffer.concat([toBytes(head), body, toBytes(end)])
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
      const own = headers.filter(([name]) => ofBody.test(name))
      const hasType = own.some(([name]) => /type$/i.test(name))
      return {
        headers: toObject(own),
        // A response without content has a type too.
        ...(!hasType && { type: 'application/octet-stream' }),
        base64: body.toString('base64'),
      }
    },
  },
]
