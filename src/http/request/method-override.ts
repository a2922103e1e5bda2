import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { hasBody, type BodyReader } from '../body/body-reader.ts'
import { isOwnReferer, isPreflight } from '../security/cross-site.ts'
import { overrideNeedsPost, unsafeLink } from '../errors/http-error.ts'
import { isRawRequest } from './target.ts'

/** The methods that change nothing (RFC 9110 §9.2.1, RFC 10008 §2). */
export function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'].includes(method)
}

/**
 * Method override as a constraint strategy: the only step before routing that may wait for a body, for
 * a socket and for `inject` alike. It constrains nothing, but replaces `method`. The body is not read
 * where `isDecided` finds that the head alone decides the response.
 */
export function methodOverride(
  readBody: BodyReader,
  isDecided: (raw: IncomingMessage) => Promise<boolean>,
) {
  const readUndecided = async (raw: IncomingMessage) =>
    hasBody(raw) && !(await isDecided(raw)) ? readBody(raw) : undefined
  return {
    name: 'methodOverride',
    // Fastify runs only strategies in use; this marks it as used without any route.
    mustMatchWhenDerived: true,
    storage: () => ({ get: () => null, set: () => undefined }),
    // Three parameters make the strategy asynchronous for find-my-way; Fastify's types omit the third.
    deriveConstraint(raw: IncomingMessage, _context?: unknown, done?: Done) {
      if (!mayOverride(raw)) {
        done?.(null)
        return
      }
      void findOverride(raw, readUndecided).then((method) => {
        if (method !== undefined && method !== raw.method) {
          raw.receivedMethod = raw.method ?? ''
          raw.method = method
        }
        done?.(null)
      })
    },
  }
}

type Done = (error: null, value?: undefined) => void

export const overrideHeader = 'x-http-method-override'

function mayOverride(raw: IncomingMessage): boolean {
  // An overridden preflight would do what it asks about.
  if (isRawRequest(raw) || isPreflight(raw)) return false
  const { headers, url = '' } = raw
  return headers[overrideHeader] !== undefined || hasBody(raw) || url.includes('?')
}

/** The first hit of query string, body and header (seed, general convention 1). */
async function findOverride(
  raw: IncomingMessage,
  readUndecided: (
    raw: IncomingMessage,
  ) => Promise<{ formHeaders: { _method?: unknown } } | undefined>,
): Promise<string | undefined> {
  try {
    const inQuery = toMethod(raw.target?.query.formHeaders._method)
    if (inQuery !== undefined) return inQuery
  } catch {
    // The checks after routing report it.
  }
  try {
    const inBody = toMethod((await readUndecided(raw))?.formHeaders._method)
    if (inBody !== undefined) return inBody
  } catch {
    // The route that reads the body reports it.
  }
  return toMethod(raw.headers[overrideHeader])
}

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']

function toMethod(value: unknown): string | undefined {
  // toUpperCase would turn the long s, which is not ASCII, into S.
  if (typeof value !== 'string' || !/^[A-Za-z]+$/.test(value)) return undefined
  const method = value.toUpperCase()
  if (method === 'OPTION') return 'OPTIONS'
  return methods.includes(method) ? method : undefined
}

/**
 * Throws 403 for a GET or HEAD that became unsafe and that a link or a prefetch could have sent. With
 * METHOD_OVERRIDE=unsafe-from-post, for any method but POST that became unsafe.
 */
export function assertNotUnsafeLink(
  raw: IncomingMessage,
  ownOrigin: string,
  { methodOverride }: Pick<Config, 'methodOverride'>,
): void {
  const { receivedMethod = '', headers, method = '' } = raw
  if (receivedMethod === '' || isSafe(method)) return
  // Unknown methods such as REPORT are safe too.
  if (methodOverride === 'unsafe-from-post' && receivedMethod !== 'POST') {
    throw overrideNeedsPost(method)
  }
  if (receivedMethod !== 'GET' && receivedMethod !== 'HEAD') return
  const site = headers['sec-fetch-site']
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers.purpose ?? '')}`
  const isBrowser = headers['user-agent']?.startsWith('Mozilla/') === true
  const hasOwnReferer = isOwnReferer(headers.referer, ownOrigin)
  const mayBeLink =
    (site !== undefined && site !== 'same-origin') ||
    (headers.referer !== undefined && !hasOwnReferer) ||
    /prefetch/i.test(purpose) ||
    // Browsers omit Sec-Fetch-Site on plain HTTP.
    (isBrowser && site === undefined && !hasOwnReferer)
  if (mayBeLink) throw unsafeLink(receivedMethod, method)
}
