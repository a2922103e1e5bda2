import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../http/body/body-reader.ts'
import { html, type Html } from './html.ts'
import { addVary } from '../http/negotiation/negotiate.ts'

/**
 * The cookie holds a key and no text, so that another site cannot inject text into a page.
 * `edit-form.js` sets `saved` itself.
 */
const messages = { saved: 'Saved.', deleted: 'Deleted.' } as const

type FlashKey = keyof typeof messages

const name = 'flash'

/** Shows a message on the page that follows a form submission. */
export function setFlash(request: FastifyRequest, reply: FastifyReply, key: FlashKey): void {
  if (isForm(request)) setCookie(reply, { value: key, maxAge: 30 })
}

/**
 * Empty if there is no message. A page with a message must not be cached: its validators are
 * removed.
 */
export function takeFlash(request: FastifyRequest, reply: FastifyReply): Html {
  addVary(reply, 'Cookie')
  const key = parseCookie(request.headers.cookie ?? '')[name]
  if (key === undefined) return html``
  setCookie(reply, { value: '', maxAge: 0 })
  if (!isFlashKey(key)) return html``
  reply.removeHeader('etag').removeHeader('last-modified').header('cache-control', 'no-store')
  return notice(messages[key])
}

export function notice(message: string): Html {
  return html`<p class="notice" role="status">${message}</p>\n`
}

function isFlashKey(text: string): text is FlashKey {
  return Object.hasOwn(messages, text)
}

function setCookie(reply: FastifyReply, cookie: { value: string; maxAge: number }): void {
  const secure = reply.request.protocol === 'https'
  const options = { name, path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  reply.header('set-cookie', stringifySetCookie({ ...cookie, ...options }))
}
