import type { FastifyRequest } from 'fastify'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'
import { operations } from './operations.ts'

/** Routes that answer with a few words (seed, "Other text-only routes"). */
export const user: Demo = {
  name: 'user',
  title: 'User',
  summary: 'A few words for each method, and a greeting for whatever follows /user.',
  links: [{ href: '/user42', label: 'A greeting' }],
  tryOut: { method: 'POST', path: '/user/create' },
  open: (app) => {
    describeRoutes(app, 'user', operations)
    app.post('/user/create', (_, reply) => sendText(reply, 'POST: a user is created\n'))
    app.put('/user/:id', (request, reply) =>
      sendText(reply, `PUT: user ${toId(request)} is replaced\n`),
    )
    app.delete('/user/:id', (request, reply) =>
      sendText(reply, `DELETE: user ${toId(request)} is gone\n`),
    )
    // `/users` and its representations belong to another room, mounted or not.
    app.get('/user:id(^(?!s$|s\\.)[\\s\\S]+$)', (request, reply) =>
      sendText(reply, `Hello, ${toId(request)}\n`),
    )
  },
}

function toId(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}
