import type { FastifyRequest } from 'fastify'
import { toMediaType } from '../../http/body/body-reader.ts'
import { registerMultipart } from '../../http/body/multipart.ts'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { sendJson, sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'
import { operations } from './operations.ts'
import { parseTextFields } from './text-fields.ts'

/** Each kind of body, read and said back (seed, "body-type endpoints under /users"). */
export const bodies: Demo = {
  name: 'bodies',
  title: 'Bodies',
  summary: 'Form, JSON, multipart and text bodies, read and said back as JSON.',
  links: [],
  tryOut: {
    method: 'POST',
    path: '/users/post',
    fields: { 'glass[colour]': 'green', name: 'Ann' },
  },
  open: async (app, { config }) => {
    describeRoutes(app, 'bodies', operations)
    const options = { config: { defaultType: 'json' } } as const
    app.post('/users/post', options, (request, reply) =>
      sendJson(reply, hasText(request) ? {} : toEcho(request.body)),
    )
    app.post('/users/post/raw', options, (request, reply) =>
      sendJson(reply, hasText(request) ? request.body : ''),
    )
    const readsMultipart = config.bodyReaders.includes('multipart')
    if (readsMultipart) await registerMultipart(app)
    const own = { config: { ...options.config, readsBodyItself: true } }
    app.post('/users/post/formdata', own, async (request, reply) =>
      sendJson(reply, readsMultipart ? await parseTextFields(request, config) : {}),
    )

    // The room of the users, when it is mounted, has better answers here.
    if (config.demos.includes('users')) return
    app.get('/users', (_, reply) => sendText(reply, 'These are the users\n'))
    app.get('/users/:id', ({ params }, reply) =>
      sendText(reply, `This is user ${(params as { id: string }).id}\n`),
    )
  },
}

/** Whether the body is one that the reader of `text/*` has read. */
function hasText({ headers, body }: FastifyRequest): boolean {
  return toMediaType(headers['content-type']).startsWith('text/') && body !== undefined
}

/** An absent body is said back as an empty object; the JSON text `null` is a body. */
function toEcho(body: unknown): unknown {
  return body === undefined ? {} : body
}
