import { pathParameter } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { sendText } from '../../http/response/send.ts'
import type { Demo } from '../../site/demo.ts'

const anyId = pathParameter('id', 'Any text.', '42')
const notUsers = 'Any text. `/users` and `/users.…` are the list of users instead.'

export const user: Demo = {
  name: 'user',
  title: 'User',
  summary: 'PUT, POST and DELETE each return a short text. GET /userNAME returns a greeting.',
  links: [{ href: '/user42', label: 'A greeting' }],
  tryOut: { method: 'POST', path: '/user/create' },
  routes: [
    confirmRoute('POST', '/user/create', () => 'POST: a user is created\n'),
    confirmRoute('PUT', '/user/:id', (id) => `PUT: user ${id} is replaced\n`),
    confirmRoute('DELETE', '/user/:id', (id) => `DELETE: user ${id} is deleted\n`),
    {
      // `/users` and its representations belong to another demo, whether it is open or not.
      ...confirmRoute('GET', '/user:id(^(?!s$|s\\.)[\\s\\S]+$)', (id) => `Hello, ${id}\n`),
      summary: 'Return a greeting',
      parameters: [{ ...anyId, description: notUsers }],
      errors: [404, 406],
    },
  ],
}

function confirmRoute(method: string, url: string, toText: (id: string) => string): Route {
  return {
    method,
    url,
    summary: `Return a text that confirms a ${method}`,
    ...(url.includes(':id') && { parameters: [anyId] }),
    example: toText('42'),
    handler: (request, reply) => sendText(reply, toText(toPathParameter(request, 'id'))),
  }
}
