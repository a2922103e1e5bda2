import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForm } from '../http/body/body-reader.ts'
import { html, type Html } from './html.ts'
import { addVary } from '../http/negotiation/negotiate.ts'

/**
 * All that a page can be made to say above the rest, once. The cookie holds a key of these and no
 * text, so that nobody can put words into a page. `edit-form.js` sets the first by itself.
 */
const messages = { saved: 'Saved.', deleted: 'Deleted.' } as const

type FlashKey = keyof typeof messages

const name = 'flash'

/** Has the page to which `reply` leads say what was done, where a form was sent from a page. */
export function setFlash(request: FastifyRequest, reply: FastifyReply, key: FlashKey): void {
  if (isForm(request)) setCookie(reply, { value: key, maxAge: 30 })
}

/**
 * What the page that `reply` is has to say, and nothing in most cases. Said once, it is of this
 * answer alone: validators that are set are taken off, and nobody is to keep it.
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

/** What was done, above what is shown of it. */
export function notice(message: string): Html {
  return html`<p class="notice" role="status">${message}</p>\n`
}

function isFlashKey(text: string): text is FlashKey {
  return Object.hasOwn(messages, text)
}

function setCookie(reply: FastifyReply, cookie: { value: string; maxAge: number }): void {
  const field = stringifySetCookie({
    ...cookie,
    name,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: reply.request.protocol === 'https',
  })
  reply.header('set-cookie', field)
}
