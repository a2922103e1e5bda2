import type { FastifyRequest } from 'fastify'
import { readSessionId, noSession, sessionCookies, toSetCookie } from '../../auth/session-cookie.ts'
import {
  endSession,
  continueSession,
  renewSession,
  toMaxSeconds,
  type ActiveSession,
  type SessionServices,
} from '../../auth/session-lifecycle.ts'
import { unauthorized } from '../../http/errors/http-error.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { jsonContent, objectSchema, pageContent, text } from '../../http/openapi/content.ts'
import type { Route } from '../../http/openapi/route.ts'
import { sendJson } from '../../http/response/send.ts'
import { samplePassword } from '../../resources/samples.ts'
import type { Demo } from '../../site/demo.ts'
import { sendPage } from '../../site/send-page.ts'
import type { Session } from '../../stores/sessions/sessions.ts'
import { sweepRegularly } from '../../stores/sweep-regularly.ts'
import { changeSession, cookieHeaders, redirectHeaders } from './change-session.ts'
import { getLogin, postLogin } from './login.ts'
import { renderSessionPage, type CookieView } from './views.ts'

const iso = { type: 'string', format: 'date-time' } as const
const user = objectSchema({ _id: text, name: text })
const properties = { authenticated: { type: 'boolean' }, user, createdAt: iso, expiresAt: iso }
const activeSchema = { type: 'object', required: ['authenticated'], properties }
const sessionResponses = {
  200: {
    description: 'The session, which ends at `expiresAt` if it is not used before.',
    headers: cookieHeaders,
    content: { ...jsonContent(activeSchema, { authenticated: false }), ...pageContent },
  },
  302: {
    description: 'With `Accept: text/html` and no session: redirects to /login.',
    headers: redirectHeaders,
  },
}

export const sessions: Demo = {
  name: 'sessions',
  title: 'Sessions',
  summary: 'Log in as a user and see what the server knows about your session, and for how long.',
  uses: ['users'],
  group: 'Sessions',
  page: '/session',
  samples: [
    { title: 'Your session', method: 'GET', path: '/session', featured: 'Your session' },
    {
      title: 'Log in as a user that you created',
      method: 'POST',
      path: '/login',
      fields: { username: 'Ann', password: samplePassword },
    },
  ],
  lookFor:
    'The response to the [login](/login) sets a cookie, and the browser sends it with every later request. The server stores the session under a hash of the id in the cookie.',
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
      name: 'ended sessions',
      everySeconds: Math.min(config.sessionIdleSeconds, 600),
      sweep: (now) => sessions.sweep(now),
    })
    return [
      getLogin(services),
      postLogin(services),
      getSession(services),
      postSession(services),
      { method: 'POST', url: '/logout', ...logOut(services) },
      { method: 'DELETE', url: '/session', ...logOut(services) },
    ]
  },
}

const getSession = (services: SessionServices): Route => ({
  method: 'GET',
  url: '/session',
  summary: 'Get the current session',
  cookie: { ...sessionCookies, isOptional: true },
  responses: sessionResponses,
  errors: [406],
  store: 'writes',
  handler: async (request, reply) => {
    const isPage = chooseType(request, reply, ['text/html', 'application/json']) === 'text/html'
    const id = readSessionId(request, reply)
    const active = await continueSession(services, id)
    if (active === undefined) {
      if (id !== undefined) reply.header('set-cookie', toSetCookie(request, noSession))
      return isPage ? reply.redirect('/login', 302) : sendJson(reply, { authenticated: false })
    }
    if (!isPage) return sendJson(reply, sessionToJson(active))
    const cookie = toCookieView(request, active.session)
    return sendPage(reply, renderSessionPage(active, services.config.sessionIdleSeconds, cookie))
  },
})

function sessionToJson({ user, session: { createdAt }, endsAt }: ActiveSession) {
  const { id: _id, document } = user
  return { authenticated: true, user: { _id, name: document.name }, createdAt, expiresAt: endsAt }
}

function toCookieView(request: FastifyRequest, session: Session): CookieView {
  const { createdAt, expiresAt, issue } = session
  const maxSeconds = toMaxSeconds(expiresAt, issue?.issuedAt ?? createdAt)
  const field = toSetCookie(request, { id: issue?.newId ?? '******', maxSeconds })
  return { field, maxSeconds, isSecure: request.protocol === 'https' }
}

const postSession = (services: SessionServices): Route => ({
  method: 'POST',
  url: '/session',
  summary: 'Renew the session id',
  description:
    'The session continues under a new id and the old id becomes invalid. The maximum lifetime of the session does not change.',
  cookie: sessionCookies,
  errors: [401, 406],
  ...changeSession('/session', 'renewal success', async (request, reply) => {
    const issued = await renewSession(services, readSessionId(request, reply))
    // The cookie stays: when a form is sent twice, the first response may have set the new one.
    if (issued === undefined) throw unauthorized('You are not logged in.')
    return issued
  }),
})

const logOut = (services: SessionServices): Omit<Route, 'method' | 'url'> => ({
  summary: 'Log out',
  cookie: { ...sessionCookies, isOptional: true },
  errors: [406],
  ...changeSession('/login', 'logout success', async (request, reply) => {
    const id = readSessionId(request, reply)
    if (id === undefined) return undefined
    await endSession(services, id)
    return noSession
  }),
})
