import type { FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../../http/body/is-object.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { fieldsContent, pageContent } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { HttpError, unauthorized } from '../../http/errors/http-error.ts'
import { parameterToText } from '../../http/request/query-string.ts'
import { findErrorForm } from '../../http/errors/send-error.ts'
import { sendJson } from '../../http/response/send.ts'
import { sendPage } from '../../site/send-page.ts'
import { findSessionId, setSessionCookie, toSetCookie } from '../../auth/session-cookie.ts'
import type { Demo } from '../../site/demo.ts'
import { sweepRegularly } from '../../stores/sweep-regularly.ts'
import { credentialsSchema, findUser, parseCredentials } from './login.ts'
import type { Session } from '../../stores/sessions/sessions.ts'
import type { CookieView } from './cookie-flags.ts'
import { loginPage } from './login-page.ts'
import { sessionResponses, toDoneResponses } from './responses.ts'
import { sessionPage } from './session-page.ts'
import {
  endSession,
  findSession,
  renewSession,
  startSession,
  toMaxSeconds,
  type SessionServices,
} from '../../auth/session-lifecycle.ts'

/** Login, logout and the session of the client (seed, "Session mechanism"). */
export const sessions: Demo = {
  name: 'sessions',
  title: 'Sessions',
  summary: 'Log in as a user and see what the server knows about your session, and for how long.',
  links: [
    { href: '/login', label: 'Log in' },
    { href: '/session', label: 'Your session' },
  ],
  tryOut: { method: 'GET', path: '/session' },
  routes: async ({ config, records, sessions }, app) => {
    const users = records.collection('users')
    const services = { config, sessions, users }
    // The demo of the users indexes this field too, but need not be open.
    await users.index(['name'])
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store')
      done()
    })
    sweepRegularly(app, {
      what: 'ended sessions',
      // As often as sessions can become idle, but not all the time.
      everySeconds: Math.min(config.sessionIdleSeconds, 600),
      sweep: (now) => sessions.sweep(now),
    })
    return [...loginRoutes(services), ...sessionRoutes(services)]
  },
}

const json = { defaultType: 'json' } as const

function loginRoutes(services: SessionServices): readonly Route[] {
  return [
    {
      method: 'GET',
      url: '/login',
      summary: 'Get the login form',
      content: pageContent,
      errors: [406],
      handler: (request, reply) => {
        chooseType(request, reply, ['text/html'])
        return sendPage(reply, loginPage())
      },
    },
    {
      method: 'POST',
      url: '/login',
      summary: 'Log in',
      requestBody: {
        required: true,
        content: fieldsContent(credentialsSchema, { username: 'Ann', password: 'secret' }),
      },
      responses: toDoneResponses('/session', 'login success'),
      errors: [401, 406, 422],
      store: 'writes',
      config: { ...json, isLogin: true },
      handler: logIn(services),
    },
  ]
}

function sessionRoutes(services: SessionServices): readonly Route[] {
  const logOutRoute = {
    summary: 'Log out',
    session: 'optional',
    responses: toDoneResponses('/login', 'logout success'),
    errors: [406],
    store: 'writes',
    config: json,
    handler: logOut(services),
  } as const
  return [
    {
      method: 'GET',
      url: '/session',
      summary: 'Get the current session',
      session: 'optional',
      responses: sessionResponses,
      errors: [406],
      store: 'writes',
      handler: showSession(services),
    },
    {
      method: 'POST',
      url: '/session',
      summary: 'Renew the session id',
      session: 'required',
      description:
        'The session continues under a new id and the old id becomes invalid. The latest end of the session does not change.',
      responses: toDoneResponses('/session', 'renewal success'),
      errors: [401, 406],
      store: 'writes',
      config: json,
      handler: renew(services),
    },
    { method: 'POST', url: '/logout', ...logOutRoute },
    { method: 'DELETE', url: '/session', ...logOutRoute },
  ]
}

function logIn(services: SessionServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    try {
      const user = await findUser(services.users, parseCredentials(request))
      if (user === undefined) throw unauthorized('No user has this name and password.')
      const old = findSessionId(request, reply)
      const issued = await startSession(services, user, old)
      // A login that fails leaves the old session as it was.
      if (old !== undefined) await endSession(services, old)
      setSessionCookie(request, reply, issued)
    } catch (error) {
      if (!(error instanceof HttpError) || findErrorForm(request, reply) !== 'html') throw error
      const { username } = isObject(request.body) ? request.body : {}
      reply.code(error.status).headers(error.headers)
      return sendPage(reply, loginPage({ username: parameterToText(username), error }))
    }
    return sendDone(reply, { type, redirect: '/session', msg: 'login success' })
  }
}

function showSession(services: SessionServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, ['text/html', 'application/json'])
    const id = findSessionId(request, reply)
    const active = id === undefined ? undefined : await findSession(services, id)
    if (active === undefined) {
      if (id !== undefined) setSessionCookie(request, reply, undefined)
      return type === 'text/html'
        ? reply.redirect('/login', 302)
        : sendJson(reply, { authenticated: false })
    }
    const { user, session } = active
    const { createdAt, expiresAt, idleUntil } = session
    const endsAt = expiresAt < idleUntil ? expiresAt : idleUntil
    if (type === 'text/html') {
      const { sessionIdleSeconds: idleSeconds } = services.config
      const cookie = toCookieView(request, session)
      return sendPage(reply, sessionPage({ ...active, endsAt, idleSeconds, cookie }))
    }
    const { name } = user.document
    return sendJson(reply, {
      authenticated: true,
      user: { _id: user.id, name },
      createdAt,
      expiresAt: endsAt,
    })
  }
}

/** The cookie of this session as it would be set on this connection, with its id masked. */
function toCookieView(
  request: FastifyRequest,
  { createdAt, expiresAt, issue }: Session,
): CookieView {
  const maxSeconds = toMaxSeconds(expiresAt, issue?.issuedAt ?? createdAt)
  const field = toSetCookie(request, { id: issue?.newId ?? '******', maxSeconds })
  return { field, maxSeconds, isSecure: request.protocol === 'https' }
}

function renew(services: SessionServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const old = findSessionId(request, reply)
    const issued = old === undefined ? undefined : await renewSession(services, old)
    // The cookie stays: when a form is sent twice, the first response may have set the new one.
    if (issued === undefined) throw unauthorized('You are not logged in.')
    setSessionCookie(request, reply, issued)
    return sendDone(reply, { type, redirect: '/session', msg: 'renewal success' })
  }
}

function logOut(services: SessionServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    const id = findSessionId(request, reply)
    if (id !== undefined) {
      await endSession(services, id)
      setSessionCookie(request, reply, undefined)
    }
    return sendDone(reply, { type, redirect: '/login', msg: 'logout success' })
  }
}

/** 303 for a client that prefers HTML, the envelope for every other. */
function sendDone(
  reply: FastifyReply,
  { type, redirect, msg }: { type: string; redirect: string; msg: string },
): FastifyReply {
  if (type === 'text/html') return reply.redirect(redirect, 303)
  return sendJson(reply, { data: { redirect }, status: { code: 0, msg } })
}
