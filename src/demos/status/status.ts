import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../../http/node-http.ts'
import { pathParameter, textContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendText } from '../../http/response/send.ts'
import { isWithoutContent } from '../../http/response/without-content.ts'
import type { Demo } from '../../site/demo.ts'
import { forReader, sendForReader } from '../../site/send-page.ts'

const describeRequested = (example: number) => ({
  description: 'The requested status code.',
  content: forReader(textContent(toText(example))),
})
const toText = (code: number) => `${String(code)} ${STATUS_CODES[code] ?? '(unassigned)'}\n`
const schema = { type: 'integer', minimum: 200, maximum: 599 }

export const status: Demo = {
  name: 'status',
  title: 'Status',
  summary: 'Responds with any status code from 200 to 599.',
  group: 'Requests and responses',
  samples: [
    {
      title: 'Choose a status code',
      method: 'GET',
      path: '/status/{code}',
      parameters: { code: '302' },
      choices: Object.fromEntries(
        [200, 201, 204, 301, 302, 304, 401, 403, 404, 418, 429, 500, 503].map((code) => [
          `${String(code)} ${STATUS_CODES[code] ?? ''}`,
          String(code),
        ]),
      ),
      featured: 'A redirect',
    },
  ],
  lookFor:
    'The status line and the headers that the status code needs, for example `Location` with 302. 204 and 304 have no body: a browser that opens a link to them stays on its page.',
  routes: (_, { supportedMethods }) => [anyStatus(supportedMethods)],
}

const anyStatus = (methods: readonly string[]): Route => ({
  // RFC 9110 §9.3.8: TRACE would send credentials back, so it is not supported.
  method: methods.filter((name) => name !== 'TRACE'),
  url: '/status/:code(^[2-5]\\d\\d$)',
  summary: 'Respond with a status code',
  description:
    'The response has the headers that the status code needs: Location with 3xx, WWW-Authenticate with 401, Retry-After with 429 and 503. 204, 205 and 304 have no content. The body of the request is ignored.',
  parameters: [{ ...pathParameter('code', 'The status code.', '418'), schema, example: 418 }],
  responses: {
    '2XX': describeRequested(200),
    '3XX': describeRequested(302),
    '4XX': describeRequested(418),
    '5XX': describeRequested(503),
  },
  errors: [404],
  // Neither an invalid body nor a condition may change the status code.
  config: { readsBodyItself: true, ignoresConditions: true },
  handler: sendStatus,
})

function sendStatus(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const code = Number(toPathParameter(request, 'code'))
  // RFC 9110 §15.4.8, §15.4.9: 307 and 308 repeat the method, so the target takes any method.
  const redirect = code >= 300 && code < 400 ? { location: '/status/200' } : {}
  reply.code(code).headers(requiredHeaders[code] ?? redirect)
  reply.header('cache-control', 'no-store')
  // RFC 9110 §15.3.5, §15.3.6, §15.4.5: these have no content.
  if (isWithoutContent(code)) return reply.send()
  const body = toText(code)
  // The Content-Range of 206 describes the text, so the reader gets no page.
  if (code === 206) return sendText(reply, body)
  return sendForReader(request, reply, { demo: status, body })
}

/** The headers that RFC 9110 §15 (RFC 6585 §4 for 429) requires or recommends. */
const requiredHeaders: Readonly<Record<number, Record<string, string>>> = {
  201: { location: '/status/200' },
  206: { 'content-range': 'bytes 0-19/20' },
  304: { etag: '"vitrine"' },
  401: { 'www-authenticate': 'Vitrine realm="demonstration"' },
  405: { allow: 'GET, HEAD' },
  407: { 'proxy-authenticate': 'Vitrine realm="demonstration"' },
  416: { 'content-range': 'bytes */0' },
  426: { upgrade: 'h2c', connection: 'upgrade' },
  429: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
}
