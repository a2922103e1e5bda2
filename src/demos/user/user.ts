import type { FastifyRequest } from 'fastify'
import { pathParameter } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/path-parameter.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'

const id = pathParameter('id', 'Any text.', '42')

/** Short texts (seed, "Other text-only routes"). */
export const user: Demo = {
  name: 'user',
  title: 'User',
  summary: 'A short text for each method, and a greeting that includes what follows /user.',
  links: [{ href: '/user42', label: 'A greeting' }],
  tryOut: { method: 'POST', path: '/user/create' },
  routes: () => [
    {
      method: 'POST',
      url: '/user/create',
      summary: 'Return a text that names POST',
      ...textOf(() => 'POST: a user is created\n'),
    },
    {
      method: 'PUT',
      url: '/user/:id',
      summary: 'Return a text that names PUT',
      parameters: [id],
      ...textOf((id) => `PUT: user ${id} is replaced\n`),
    },
    {
      method: 'DELETE',
      url: '/user/:id',
      summary: 'Return a text that names DELETE',
      parameters: [id],
      ...textOf((id) => `DELETE: user ${id} is deleted\n`),
    },
    {
      method: 'GET',
      // `/users` and its representations belong to another demo, whether it is open or not.
      url: '/user:id(^(?!s$|s\\.)[\\s\\S]+$)',
      summary: 'Return a greeting',
      parameters: [
        {
          ...id,
          description: 'Any text except `s` and texts that start with `s.`: those are the users.',
        },
      ],
      ...textOf((id) => `Hello, ${id}\n`),
      errors: [404, 406],
    },
  ],
}

function textOf(toText: (id: string) => string): Pick<Route, 'example' | 'handler'> {
  return {
    example: toText('42'),
    handler: (request: FastifyRequest, reply) =>
      sendText(reply, toText(toPathParameter(request, 'id'))),
  }
}
