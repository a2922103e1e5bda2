import { jsonContent, objectSchema, pageContent } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { Operation, ResponseDoc } from '../../http/openapi/operation.ts'

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const
const headers = { 'Set-Cookie': responseHeaders.setCookie }

const envelope = objectSchema({
  data: objectSchema({ redirect: text }),
  status: objectSchema({ code: { const: 0 }, msg: text }),
})

/** The responses after a login, a logout and a renewal. */
export function toDoneResponses(
  redirect: string,
  msg: string,
): NonNullable<Operation['responses']> {
  return {
    200: {
      description: 'The envelope, for every client that does not prefer HTML.',
      headers,
      content: jsonContent(envelope, { data: { redirect }, status: { code: 0, msg } }),
    },
    303: toRedirect(`With \`Accept: text/html\`: redirects to ${redirect}.`),
  }
}

function toRedirect(description: string): ResponseDoc {
  return { description, headers: { Location: responseHeaders.location, ...headers } }
}

const session = {
  type: 'object',
  required: ['authenticated'],
  properties: {
    authenticated: { type: 'boolean' },
    user: objectSchema({ _id: text, name: text }),
    createdAt: time,
    expiresAt: { ...time, description: 'The end of the session if it is not used before.' },
  },
} as const

export const sessionResponses: NonNullable<Operation['responses']> = {
  200: {
    description: 'The session. As JSON also when the client is not logged in.',
    headers,
    content: { ...jsonContent(session, { authenticated: false }), ...pageContent },
  },
  302: toRedirect('With `Accept: text/html` and no session: redirects to /login.'),
}
