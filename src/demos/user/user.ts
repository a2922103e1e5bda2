import { pathParameter, textContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { toPathParameter } from '../../http/request/target.ts'
import type { Demo } from '../../site/demo.ts'
import { forReader, sendForReader } from '../../site/send-page.ts'

const anyId = pathParameter('id', 'Any text.', '42')
const notUsers = 'Any text. `/users` and `/users.…` are the list of users instead.'

export const user: Demo = {
  name: 'user',
  title: 'User',
  summary: 'PUT, POST and DELETE each return a short text. GET /userNAME returns a greeting.',
  group: 'Requests and responses',
  samples: [
    {
      title: 'A greeting',
      method: 'GET',
      path: '/user{id}',
      parameters: { id: '42' },
      choices: { 42: '42', Ann: 'ann', 'Other letters': 'zoë' },
    },
    { title: 'Create', method: 'POST', path: '/user/create' },
    {
      title: 'Replace',
      method: 'PUT',
      path: '/user/{id}',
      parameters: { id: '42' },
      featured: 'PUT',
    },
    { title: 'Delete', method: 'DELETE', path: '/user/{id}', parameters: { id: '42' } },
  ],
  lookFor:
    'One URL has a handler for each of its methods. Nothing is stored, so every request can be repeated. A form without JavaScript sends POST with the field `_method`, which the server handles as PUT or DELETE.',
  routes: () => [postUser, putUser, deleteUser, getGreeting],
}

const postUser = confirm('POST', '/user/create', () => 'POST: a user is created\n')
const putUser = confirm('PUT', '/user/:id', (id) => `PUT: user ${id} is replaced\n`)
const deleteUser = confirm('DELETE', '/user/:id', (id) => `DELETE: user ${id} is deleted\n`)

const getGreeting: Route = {
  // `/users` and its representations belong to another demo, whether it is open or not.
  ...confirm('GET', '/user:id(^(?!s$|s\\.)[\\s\\S]+$)', (id) => `Hello, ${id}\n`),
  summary: 'Return a greeting',
  parameters: [{ ...anyId, description: notUsers }],
  errors: [404, 406],
}

function confirm(method: string, url: string, toText: (id: string) => string): Route {
  return {
    method,
    url,
    summary: `Return a text that confirms a ${method}`,
    ...(url.includes(':id') && { parameters: [anyId] }),
    content: forReader(textContent(toText('42'))),
    handler: (request, reply) => {
      const body = toText(toPathParameter(request, 'id'))
      return sendForReader(request, reply, { demo: user, body })
    },
  }
}
