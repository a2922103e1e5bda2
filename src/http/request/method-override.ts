import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { hasBody, type BodyReader } from '../body/body-reader.ts'
import { isOwnReferer, isPreflight } from '../security/cross-site.ts'
import { parseParameters, type ParameterLimits } from './query-string.ts'
import { unsafeLink } from '../errors/http-error.ts'

declare module 'node:http' {
  interface IncomingMessage {
    /** The method of the request line, if an override replaced it. */
    receivedMethod?: string
  }
}

// Seed, general convention 1. OPTION is the seed's spelling.
const methodsByValue: Readonly<Record<string, string>> = {
  GET: 'GET',
  POST: 'POST',
  PUT: 'PUT',
  DELETE: 'DELETE',
  PATCH: 'PATCH',
  OPTION: 'OPTIONS',
  OPTIONS: 'OPTIONS',
  HEAD: 'HEAD',
}

/** The methods that change nothing (RFC 9110 §9.2.1, RFC 10008 §2). */
export function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'].includes(method)
}

/**
 * Method override as a constraint strategy: the one place that Fastify passes before it looks for a
 * route, for a socket and for `inject` alike, and that may wait for a body. It constrains nothing:
 * it replaces `method` on the request, so that everything after it sees only that method. The body is
 * not read where `isDecided` finds that the header section alone decides the response.
 */
export function methodOverride(
  readBody: BodyReader,
  limits: ParameterLimits,
  isDecided: (raw: IncomingMessage) => Promise<boolean>,
) {
  const readUndecided = async (raw: IncomingMessage) =>
    hasBody(raw) && !(await isDecided(raw)) ? findInBody(raw, readBody) : undefined
  return {
    name: 'methodOverride',
    // Fastify asks only strategies that are in use, and this marks it as such without any route.
    mustMatchWhenDerived: true,
    storage: () => ({ get: () => null, set: () => undefined }),
    // find-my-way takes a strategy with three parameters for an asynchronous one, and always gives
    // it the third, which the types of Fastify leave out.
    deriveConstraint(raw: IncomingMessage, _context?: unknown, done?: Done) {
      if (!mayOverride(raw)) {
        done?.(null)
        return
      }
      void findOverride(raw, limits, readUndecided).then((method) => {
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

/** Whether it is worth looking; most requests are told apart here, without reading anything. */
function mayOverride(raw: IncomingMessage): boolean {
  // A preflight asks about a request and is none: overridden it would do what it asks about.
  if (isPreflight(raw)) return false
  const { headers, url = '' } = raw
  return (
    headers[overrideHeader] !== undefined ||
    hasBody(raw) ||
    (url.includes('?') && /_method|%/.test(url))
  )
}

/**
 * First hit wins: query string, body, header. What cannot be read names no method; whoever reads it
 * next meets the same error, and answers it.
 */
async function findOverride(
  raw: IncomingMessage,
  limits: ParameterLimits,
  findInBody: (raw: IncomingMessage) => Promise<unknown>,
): Promise<string | undefined> {
  return (
    toMethod(findInQuery(raw.url ?? '', limits)) ??
    toMethod(await findInBody(raw)) ??
    toMethod(raw.headers[overrideHeader])
  )
}

function toMethod(value: unknown): string | undefined {
  // ASCII alone: toUpperCase would make an S of the long s.
  const isWord = typeof value === 'string' && /^[A-Za-z]+$/.test(value)
  return isWord ? methodsByValue[value.toUpperCase()] : undefined
}

async function findInBody(raw: IncomingMessage, readBody: BodyReader): Promise<unknown> {
  try {
    return (await readBody(raw)).formHeaders._method
  } catch {
    return undefined
  }
}

function findInQuery(url: string, limits: ParameterLimits): unknown {
  const start = url.indexOf('?')
  try {
    return start === -1 ? undefined : parseParameters(url.slice(start + 1), limits)._method
  } catch {
    return undefined
  }
}

/**
 * Throws a 403 for a GET or HEAD that became unsafe in a way that following a link, or fetching one
 * ahead, could bring about: any page can make a browser send such a request. With
 * METHOD_OVERRIDE=unsafe-from-post, for any safe method that became unsafe.
 */
export function assertNotUnsafeLink(
  raw: IncomingMessage,
  ownOrigin: string,
  { methodOverride }: Pick<Config, 'methodOverride'>,
): void {
  const { receivedMethod = '', headers, method = '' } = raw
  if (!isSafe(receivedMethod) || isSafe(method)) return
  if (methodOverride === 'unsafe-from-post') throw unsafeLink(receivedMethod, method)
  if (receivedMethod !== 'GET' && receivedMethod !== 'HEAD') return
  const site = headers['sec-fetch-site']
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers.purpose ?? '')}`
  const isBrowser = /^Mozilla\//.test(headers['user-agent'] ?? '')
  const cameFromHere = isOwnReferer(headers.referer, ownOrigin)
  const mayBeLink =
    (site !== undefined && site !== 'same-origin') ||
    (headers.referer !== undefined && !cameFromHere) ||
    /prefetch/i.test(purpose) ||
    (isBrowser && site === undefined && !cameFromHere)
  if (mayBeLink) throw unsafeLink(receivedMethod, method)
}
