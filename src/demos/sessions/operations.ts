import {
  fieldsContent,
  jsonContent,
  objectSchema,
  pageContent,
} from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { ResponseDoc, Operation, Operations } from '../../http/openapi/operation.ts'
import { credentialsSchema } from './login.ts'

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const

const done = objectSchema({
  data: objectSchema({ redirect: text }),
  status: objectSchema({ code: { const: 0 }, msg: text }),
})

const session = {
  type: 'object',
  required: ['authenticated'],
  properties: {
    authenticated: { type: 'boolean' },
    user: objectSchema({ _id: text, name: text }),
    createdAt: time,
    expiresAt: { ...time, description: 'When it ends if it is not used until then.' },
  },
} as const

const headers = { 'Set-Cookie': responseHeaders.setCookie }

function elsewhere(description: string): ResponseDoc {
  return { description, headers: { Location: responseHeaders.location, ...headers } }
}

function toDone(redirect: string, msg: string): Operation['responses'] {
  return {
    200: {
      description: 'The envelope, for every client that does not ask for a page.',
      headers,
      content: jsonContent(done, { data: { redirect }, status: { code: 0, msg } }),
    },
    303: elsewhere(`For a page: go to ${redirect}.`),
  }
}

const logOut: Operation = {
  summary: 'End the session',
  session: 'optional',
  responses: toDone('/login', 'logout success'),
  errors: [406],
  store: 'writes',
}

export const operations: Operations = {
  'GET /login': {
    summary: 'The form to log in with',
    responses: { 200: { description: 'A page.', content: pageContent } },
    errors: [406],
  },
  'POST /login': {
    summary: 'Log in',
    requestBody: {
      required: true,
      content: fieldsContent(credentialsSchema, { username: 'Ann', password: 'secret' }),
    },
    responses: toDone('/session', 'login success'),
    errors: [401, 406, 422],
    store: 'writes',
  },
  'GET /session': {
    summary: 'Who is logged in, since when and until when',
    session: 'optional',
    responses: {
      200: {
        description: 'The session, or in JSON that there is none.',
        headers,
        content: { ...jsonContent(session, { authenticated: false }), ...pageContent },
      },
      302: elsewhere('For a page, when nobody is logged in: go to /login.'),
    },
    errors: [406],
    store: 'writes',
  },
  'POST /session': {
    summary: 'Renew the session id',
    session: 'required',
    description:
      'The session goes on under a fresh id, and the one before is dead at once. It ends no later for that.',
    responses: toDone('/session', 'renewal success'),
    errors: [401, 406],
    store: 'writes',
  },
  'POST /logout': logOut,
  'DELETE /session': logOut,
}
