import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../../http/errors/http-error.ts'
import { isObject } from '../../http/request/parameters.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { isSecretOf, toExpiry } from './bin-ids.ts'
import { binsPage, type Bin, type BinStore } from './bin-store.ts'

/** A browser removes cookies if it has too many. */
const maxCookies = 20
const cookieName = /^(?:__Secure-)?bin-(.+)$/

/** Reads the secret from Authorization or from the cookie. Throws 401, 404 or 410. */
export async function openBin(bins: BinStore, request: FastifyRequest, reply: FastifyReply) {
  reply.header('cache-control', 'no-store')
  const bin = await bins.find(toPathParameter(request, 'id'))
  const secrets = findSecrets(request, bin)
  if (secrets.some((secret) => isSecretOf(bin.secretHash, secret))) return bin
  const detail =
    secrets.length === 0
      ? 'This bin can be read with its secret only. Send it as Authorization: Bearer SECRET.'
      : 'The secret is not that of this bin.'
  throw new HttpError('unauthorized', detail, {
    headers: { 'www-authenticate': 'Bearer realm="Request bins"' },
    back: binsPage,
  })
}

/** From Authorization and from the cookie. */
export function findSecrets(request: FastifyRequest, { id }: Bin): string[] {
  return [findBearer(request), findCookie(request, id)].filter((secret) => secret !== undefined)
}

export function findLinkSecret({ query }: FastifyRequest): string | undefined {
  const secret = isObject(query) ? query.secret : undefined
  return typeof secret === 'string' ? secret : undefined
}

function findBearer({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

function findCookie({ headers, protocol }: FastifyRequest, id: string): string | undefined {
  return parseCookie(headers.cookie ?? '')[toCookieName(protocol, id)]
}

function toCookieName(protocol: string, id: string): string {
  return `${protocol === 'https' ? '__Secure-' : ''}bin-${id}`
}

export function isBinCookie(name: string): boolean {
  return cookieName.test(name)
}

/** The ids of the bins of this browser, the one that ends last first. */
export function findOwnIds({ headers }: FastifyRequest): string[] {
  const names = Object.keys(parseCookie(headers.cookie ?? ''))
  return names
    .flatMap((name) => cookieName.exec(name)?.[1] ?? [])
    .filter((id) => toExpiry(id) !== undefined)
    .toSorted()
    .toReversed()
}

/** Not sent to other paths, such as that of the bin itself. */
export function setSecretCookie(reply: FastifyReply, bin: Bin, secret: string): void {
  const { request } = reply
  const { protocol } = request
  const toCookie = (id: string, value: string, expires: Date) =>
    stringifySetCookie({
      ...{ name: toCookieName(protocol, id), value, expires, path: '/bins' },
      ...{ httpOnly: true, sameSite: 'strict', secure: protocol === 'https' },
    })
  const excess = findOwnIds(request).slice(maxCookies - 1)
  reply.header('set-cookie', [
    toCookie(bin.id, secret, new Date(bin.expiresAt)),
    ...excess.map((id) => toCookie(id, '', new Date(0))),
  ])
}

export function removeSecretCookie(reply: FastifyReply, bin: Bin): void {
  setSecretCookie(reply, { ...bin, expiresAt: new Date(0).toISOString() }, '')
}
