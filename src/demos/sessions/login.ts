import type { FastifyRequest } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { maxLoginCandidates } from '../../config/limits.ts'
import { verifyPassword } from '../../auth/passwords.ts'
import { readSessionId } from '../../auth/session-cookie.ts'
import { startSession, type SessionServices } from '../../auth/session-lifecycle.ts'
import { hasBody, isFieldsType, toMediaType } from '../../http/body/body-reader.ts'
import { parameterToText } from '../../http/request/parameters.ts'
import {
  HttpError,
  unauthorized,
  unprocessable,
  unsupportedMediaType,
} from '../../http/errors/http-error.ts'
import { chooseErrorForm } from '../../http/errors/send-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { fieldsContent, objectSchema, pageContent, text } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { sendPage } from '../../site/send-page.ts'
import type { Collection } from '../../stores/records/records.ts'
import { changeSession } from './change-session.ts'
import { renderLoginPage } from './views.ts'

const credentials = fieldsContent(objectSchema({ username: text, password: text }), {
  username: 'Ann',
  password: 'secret',
})

const file = import.meta.filename

export const getLogin = ({ config }: SessionServices): Route => ({
  file,
  method: 'GET',
  url: '/login',
  summary: 'Get the login form',
  content: pageContent,
  errors: [406],
  handler: (request, reply) => {
    chooseType(request, reply, ['text/html'])
    return sendPage(reply, renderLoginPage(config))
  },
})

/** Throws 401, 415 and 422, which a page gets as the form with the message. */
export function postLogin(services: SessionServices): Route {
  const change = changeSession('/session', 'login success', async (request, reply) => {
    const user = await findUser(services.users, parseCredentials(request))
    if (user === undefined) throw unauthorized('No user has this name and password.')
    return startSession(services, user, readSessionId(request, reply))
  })
  return {
    file,
    method: 'POST',
    url: '/login',
    summary: 'Log in',
    requestBody: { required: true, content: credentials },
    errors: [401, 406, 422],
    ...change,
    config: { ...change.config, isLogin: true },
    handler: (request, reply) =>
      change.handler(request, reply).catch((error: unknown) => {
        if (!(error instanceof HttpError) || chooseErrorForm(request, reply) !== 'html') throw error
        const { username } = isObject(request.body) ? request.body : {}
        reply.code(error.status).headers(error.headers)
        return sendPage(reply, renderLoginPage(services.config, parameterToText(username), error))
      }),
  }
}

function parseCredentials({ body, raw, headers }: FastifyRequest) {
  if (hasBody(raw) && !isFieldsType(toMediaType(headers['content-type']))) {
    throw unsupportedMediaType('A login must be a form or JSON.', {
      'accept-post': 'application/json, application/x-www-form-urlencoded',
    })
  }
  const { username, password } = isObject(body) ? body : {}
  if (typeof username === 'string' && typeof password === 'string') return { username, password }
  const problems = Object.entries({ username, password }).map(([field, value]) => ({
    field,
    message: value === undefined ? 'is required' : typeof value === 'string' ? '' : 'must be text',
  }))
  throw unprocessable(problems.filter(({ message }) => message !== ''))
}

type Credentials = ReturnType<typeof parseCredentials>

async function findUser(users: Collection, { username, password }: Credentials) {
  const candidates = await users.list(
    {
      filters: [{ field: 'name', operator: 'eq', values: [username] }],
      sort: [{ field: 'createdAt', isDescending: true }],
    },
    { offset: 0, limit: maxLoginCandidates },
  )
  // Otherwise the time of the response would show which names exist.
  if (candidates.length === 0) await verifyPassword(password)
  for (const candidate of candidates) {
    if (await verifyPassword(password, String(candidate.document.password))) return candidate
  }
  return undefined
}
