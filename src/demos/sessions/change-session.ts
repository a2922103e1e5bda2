import { toLink } from '../../http/request/target.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toSetCookie, type SessionCookie } from '../../auth/session-cookie.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { jsonContent } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import { sendJson } from '../../http/response/send.ts'
import { envelope } from '../../resources/openapi/schemas.ts'

type ApplyChange = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<SessionCookie | undefined>

export function changeSession(redirect: string, msg: string, apply: ApplyChange) {
  const content = { data: { redirect }, status: { code: 0, msg } }
  return {
    responses: {
      200: {
        description: 'The envelope, for every client that does not prefer HTML.',
        headers: cookieHeaders,
        content: jsonContent(envelope, content),
      },
      303: {
        description: `With \`Accept: text/html\`: redirects to ${redirect}.`,
        headers: redirectHeaders,
      },
    },
    store: 'writes',
    config: { defaultType: 'json' },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const type = chooseType(request, reply, ['application/json', 'text/html'])
      const cookie = await apply(request, reply)
      if (cookie) reply.header('set-cookie', toSetCookie(request, cookie))
      return type === 'text/html'
        ? reply.redirect(redirect, 303)
        : sendJson(reply, { ...content, data: { redirect: toLink(request.raw, redirect) } })
    },
  } as const
}

export const cookieHeaders = responseHeaders('Set-Cookie')
export const redirectHeaders = responseHeaders('Location', 'Set-Cookie')
