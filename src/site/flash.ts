import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatCount } from '../config/format-count.ts'
import { isForm } from '../http/body/body-reader.ts'
import { addVary } from '../http/negotiation/negotiate.ts'
import { ownCookies, toOwnCookie } from '../http/security/own-secrets.ts'
import type { Html } from './html.ts'
import { renderNotice } from './page.ts'

/**
 * The cookie holds a key and a number, so that another site cannot inject text. `edit-form.js` sets `saved`, and
 * `records.js` adds the name of what was deleted.
 */
const messages = { saved: 'Saved.', deleted: 'Deleted.', removed: 'Removed.' }

const flashCookie = 'flash'
ownCookies.push(flashCookie)

const flashSeconds = 30

export function setFlash(
  request: FastifyRequest,
  reply: FastifyReply,
  key: keyof typeof messages | { deleted: number },
): void {
  const value = typeof key === 'string' ? key : `deleted-${String(key.deleted)}`
  if (isForm(request)) setCookie(reply, value, flashSeconds)
}

const toRecords = (count: number) => formatCount(count, 'record')

/** A page with a message must not be cached. */
export function takeFlash(
  request: FastifyRequest,
  reply: FastifyReply,
  toCount = toRecords,
): Html | undefined {
  addVary(reply, 'Cookie')
  const key = parseCookie(request.headers.cookie ?? '')[flashCookie]
  if (key === undefined) return undefined
  setCookie(reply, '', 0)
  const [, count] = /^deleted-([1-9]\d{0,5})$/.exec(key) ?? []
  const known = Object.entries(messages).find(([name]) => name === key)?.[1]
  const message = count === undefined ? known : `Deleted ${toCount(Number(count))}.`
  if (message === undefined) return undefined
  reply.removeHeader('etag').removeHeader('last-modified').header('cache-control', 'no-store')
  return renderNotice(message)
}

/** Takes the message only if the representation is a page. */
export function takePageFlash(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, toCount }: { type: string; toCount?: (count: number) => string },
) {
  if (type === 'text/html') return takeFlash(request, reply, toCount)
  // RFC 9110 §12.5.5: a page at this URL would have depended on the cookie.
  if (request.negotiation?.by !== 'suffix') addVary(reply, 'Cookie')
  return undefined
}

function setCookie(reply: FastifyReply, value: string, maxAge: number): void {
  const cookie = { name: flashCookie, value, maxAge }
  reply.header('set-cookie', toOwnCookie(reply.request, cookie))
}
