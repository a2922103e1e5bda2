import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../http/body/body-reader.ts'
import { addVary } from '../http/negotiation/negotiate.ts'
import { ownCookies, toOwnCookie } from '../http/security/own-secrets.ts'
import type { Html } from './html.ts'
import { renderNotice } from './page.ts'

/**
 * The cookie holds a key, so that another site cannot inject text. `edit-form.js` sets `saved`, and
 * `records.js` adds the name of what was deleted.
 */
const messages = { saved: 'Saved.', deleted: 'Deleted.', removed: 'Removed.' }

const flashCookie = 'flash'
ownCookies.push(flashCookie)

const flashSeconds = 30

export function setFlash(
  request: FastifyRequest,
  reply: FastifyReply,
  key: keyof typeof messages,
): void {
  if (isForm(request)) setCookie(reply, key, flashSeconds)
}

/** A page with a message must not be cached. */
export function takeFlash(request: FastifyRequest, reply: FastifyReply): Html | undefined {
  addVary(reply, 'Cookie')
  const key = parseCookie(request.headers.cookie ?? '')[flashCookie]
  if (key === undefined) return undefined
  setCookie(reply, '', 0)
  const message = Object.entries(messages).find(([name]) => name === key)?.[1]
  if (message === undefined) return undefined
  reply.removeHeader('etag').removeHeader('last-modified').header('cache-control', 'no-store')
  return renderNotice(message)
}

/** Takes the message only if the representation is a page. */
export function takePageFlash(request: FastifyRequest, reply: FastifyReply, type: string) {
  if (type === 'text/html') return takeFlash(request, reply)
  // RFC 9110 §12.5.5: a page at this URL would have depended on the cookie.
  if (request.negotiation?.by !== 'suffix') addVary(reply, 'Cookie')
  return undefined
}

function setCookie(reply: FastifyReply, value: string, maxAge: number): void {
  const cookie = { name: flashCookie, value, maxAge }
  reply.header('set-cookie', toOwnCookie(reply.request, cookie))
}
