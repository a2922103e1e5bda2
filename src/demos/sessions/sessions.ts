import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { describeRoutes } from '../../http/openapi/operation.ts'
import { HttpError, unauthorized } from '../../http/errors/http-error.ts'
import { findErrorForm } from '../../http/errors/send-error.ts'
import { sendJson } from '../../http/response/send.ts'
import { sendPage } from '../../site/send-page.ts'
import { findSessionId, setSessionCookie, toSetCookie } from '../../auth/session-cookie.ts'
import type { Demo } from '../../site/demo.ts'
import { sweepRegularly } from '../../stores/sweep-regularly.ts'
import { findUser, parseCredentials } from './login.ts'
import type { SessionServices } from '../../auth/session-lifecycle.ts'
import { operations } from './operations.ts'
import type { Session } from '../../stores/sessions/sessions.ts'
import type { CookieView } from './cookie-flags.ts'
import { loginPage } from './login-page.ts'
import { sessionPage } from './session-page.ts'
import {
  endSession,
  findSession,
  renewSession,
  startSession,
  toMaxSeconds,
} from '../../auth/session-lifecycle.ts'

/** Login, logout, and what the server knows in between (seed, "Session mechanism"). */
export const sessions: Demo = {
  name: 'sessions',
  title: 'Sessions',
  summary: 'Log in as a user and see what the server knows of you, and for how long.',
  links: [
    { href: '/login', label: 'Log in' },
    { href: '/session', label: 'Your session' },
  ],
  tryOut: { method: 'GET', path: '/session' },
  open: async (app, { config, records, sessions }) => {
    const users = records.collection('users')
    const services = { config, sessions, users }
    // Where the room of the users is not open, nobody else has asked for it.
    await users.index(['name'])
    describeRoutes(app, 'sessions', operations)
    // What is said of one visitor is not for any cache.
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store')
      done()
    })
    const json = { config: { defaultType: 'json' } } as const
    app.get('/login', (request, reply) => {
      chooseType(request, reply, ['text/html'])
      return sendPage(reply, loginPage())
    })
    app.post('/login', { config: { ...json.config, isLogin: true } }, logIn(services))
    app.get('/session', showSession(services))
    app.post('/session', json, renew(services))
    app.post('/logout', json, logOut(services))
    app.delete('/session', json, logOut(services))
    sweepRegularly(app, {
      what: 'ended sessions',
      // As often as sessions can become idle, but not all the time.
      everySeconds: Math.min(config.sessionIdleSeconds, 600),
      sweep: (now) => sessions.sweep(now),
    })
  },
}

function logIn(services: SessionServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, ['application/json', 'text/html'])
    try {
      const user = await findUser(services.users, parseCredentials(request))
      if (user === undefined) throw unauthorized('There is no user of that name and password.')
      const old = findSessionId(request, reply)
      const issued = await startSession(services, user, old)
      // Only now: a login that fails leaves everything as it was.
      if (old !== undefined) await endSession(services, old)
      setSessionCookie(request, reply, issued)
    } catch (error) {
      if (!(error instanceof HttpError) || findErrorForm(request, reply) !== 'html') throw error
      // Whoever sent a form gets it back.
      const { username } = Object(request.body) as { username?: unknown }
      const typed = typeof username === 'string' ? username : ''
      reply.code(error.status).headers(error.headers)
      return sendPage(reply, loginPage({ username: typed, error: error }))
    }
    return sendDone(reply, { type, redirect: '/session', msg: 'login success' })
  }
}

function showSession(services: SessionServices) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const type = chooseType(request, reply, ['text/html', 'application/json'])
    const id = findSessionId(request, reply)
    const visit = id === undefined ? undefined : await findSession(services, id)
    if (visit === undefined) {
      // A cookie that is good for nothing is not worth sending again.
      if (id !== undefined) setSessionCookie(request, reply, undefined)
      return type === 'text/html'
        ? reply.redirect('/login', 302)
        : sendJson(reply, { authenticated: false })
    }
    const { user, session } = visit
    const { createdAt, expiresAt, idleUntil } = session
    const endsAt = expiresAt < idleUntil ? expiresAt : idleUntil
    if (type === 'text/html') {
      const { sessionIdleSeconds: idleSeconds } = services.config
      const cookie = toCookieView(request, session)
      return sendPage(reply, sessionPage({ ...visit, endsAt, idleSeconds, cookie }))
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

/** How the cookie of this session was set on a connection like this one, with its id masked. */
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
    // The cookie stays: of a form that was sent twice, the first answer may have set the new one.
    if (issued === undefined) throw unauthorized('Nobody is logged in.')
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

/** 303 for a page, the envelope for everyone else. */
function sendDone(
  reply: FastifyReply,
  { type, redirect, msg }: { type: string; redirect: string; msg: string },
): FastifyReply {
  if (type === 'text/html') return reply.redirect(redirect, 303)
  return sendJson(reply, { data: { redirect }, status: { code: 0, msg } })
}
