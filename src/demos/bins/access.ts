import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import { maxOwnBins } from '../../config/limits.ts'
import { HttpError } from '../../http/errors/http-error.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { toOwnCookie } from '../../http/security/own-secrets.ts'
import { hashSecret, isSecretOf, toExpiry, hashRequestSecret } from './bin-ids.ts'
import { binsPage, type Bin, type BinStore } from './bin-store.ts'

const cookieName = /^(?:__Secure-)?bin-(.+)$/

export interface OpenedBin extends Bin {
  /** It is empty if the client has the secret of one request only. */
  secret: string
}

/**
 * The secret can be in Authorization, the query or the cookie, and be that of the request with the id `shared`.
 * Throws 401, 404 or 410.
 */
export async function openBin(
  bins: BinStore,
  { request }: FastifyReply,
  shared?: string,
): Promise<OpenedBin> {
  const bin = await bins.find(toPathParameter(request, 'id'))
  const { cookie = '', authorization = '' } = request.headers
  const [, bearer] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  const kept = parseCookie(cookie)[toCookieName(request.protocol, bin.id)]
  const secrets = [bearer, findLinkSecret(request), kept].filter((one) => one !== undefined)
  const secret = secrets.find((one) => isSecretOf(bin.secretHash, one))
  if (secret !== undefined) return { ...bin, secret }
  const sharedHash = shared && hashSecret(hashRequestSecret(bin.secretHash, shared))
  if (sharedHash && secrets.some((one) => isSecretOf(sharedHash, one)))
    return { ...bin, secret: '' }
  const detail =
    secrets.length === 0
      ? 'This bin can be read with its secret only. Send it as Authorization: Bearer SECRET.'
      : wrongSecret
  const headers = { 'www-authenticate': 'Bearer realm="Request bins"' }
  throw new HttpError('unauthorized', detail, { headers, back: binsPage })
}

export function findLinkSecret({ query }: FastifyRequest): string | undefined {
  const { secret } = isObject(query) ? query : {}
  return typeof secret === 'string' ? secret : undefined
}

export const wrongSecret =
  'The secret is not that of this bin. The link to a request has another secret, which is only for that request.'

function toCookieName(protocol: string, id: string): string {
  return `${protocol === 'https' ? '__Secure-' : ''}bin-${id}`
}

export const isBinCookie = (name: string): boolean => cookieName.test(name)

export function findOwnIds({ headers }: FastifyRequest): string[] {
  return Object.keys(parseCookie(headers.cookie ?? ''))
    .flatMap((name) => cookieName.exec(name)?.[1] ?? [])
    .filter((id) => toExpiry(id) !== undefined)
    .toSorted()
    .toReversed()
}

/** The id and name of each, if the secret is right: others could guess the id. */
export async function findOwnBins(bins: BinStore, request: FastifyRequest) {
  const cookies = parseCookie(request.headers.cookie ?? '')
  const ids = findOwnIds(request).slice(0, maxOwnBins)
  const own = (await bins.list(ids)).filter(({ id, secretHash }) =>
    isSecretOf(secretHash, cookies[toCookieName(request.protocol, id)] ?? ''),
  )
  const names = new Map(own.map(({ id, name }) => [id, name]))
  return ids.map((id) => ({ id, name: names.get(id) ?? '' }))
}

/** Requests for other paths, such as that of the bin itself, do not have it. */
export function setSecretCookie(reply: FastifyReply, { id, secret, expiresAt }: OpenedBin): void {
  const { request } = reply
  const toCookie = (bin: string, value: string, expires: Date) => {
    const name = toCookieName(request.protocol, bin)
    return toOwnCookie(request, { name, value, expires, path: '/bins' })
  }
  const excess = findOwnIds(request).slice(maxOwnBins - 1)
  reply.header('set-cookie', [
    toCookie(id, secret, new Date(expiresAt)),
    ...excess.map((other) => toCookie(other, '', new Date(0))),
  ])
}
