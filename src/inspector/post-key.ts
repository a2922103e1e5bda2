import { isObject } from '../config/is-object.ts'
import { unprocessable } from '../http/errors/http-error.ts'
import { fieldsContent, objectSchema, text } from '../http/openapi/content.ts'
import { responseHeaders } from '../http/openapi/fields.ts'
import type { Route } from '../http/openapi/route.ts'
import { toOwnCookie } from '../http/security/own-secrets.ts'
import { inspectorCookies } from './recorder/owner.ts'

export const keyPattern = '[\\w\\-]{16,200}'

const fields = objectSchema({ key: { ...text, pattern: `^${keyPattern}$` } })

/** Browsers cannot send `X-Inspector` with a page. */
export const postKey: Route = {
  method: 'POST',
  url: '/inspector/key',
  summary: 'Choose a key for your requests',
  description:
    'Sets a cookie with the key. The list of the browser then has its requests, and those with the key in `X-Inspector`.',
  requestBody: {
    required: true,
    content: fieldsContent(fields, { key: '5d0a4f7e8c341a6e0d2b7f55' }),
  },
  responses: {
    303: { description: 'To the list.', headers: responseHeaders('Location', 'Set-Cookie') },
  },
  errors: [422],
  handler: (request, reply) => {
    const { key } = isObject(request.body) ? request.body : {}
    if (typeof key !== 'string' || !new RegExp(`^${keyPattern}$`).test(key)) {
      const message = 'must have 16 to 200 letters, digits, hyphens or underscores'
      throw unprocessable([{ field: 'key', message }])
    }
    const cookie = { name: inspectorCookies[request.protocol], value: key }
    reply.header('set-cookie', toOwnCookie(request, cookie))
    return reply.redirect('/inspector?mine=1', 303)
  },
}
