import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { hasBody, type BodyReader } from '../body/body-reader.ts'
import { isPreflight, isSameOrigin } from '../security/origins.ts'
import { overrideNeedsPost, unsafeLink } from '../errors/http-error.ts'
import { isRawRequest, setMethod } from './target.ts'
import { parameterToText } from './parameters.ts'

export function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'].includes(method)
}

export const overrideHeader = 'x-http-method-override'

/** Only a constraint can be asynchronous before routing. This one matches every route. */
export function createMethodOverride(
  readBody: BodyReader,
  isDecided: (raw: IncomingMessage) => boolean | Promise<boolean>,
) {
  return {
    name: 'methodOverride',
    // Fastify runs only strategies in use; this marks it as used without any route.
    mustMatchWhenDerived: true,
    storage: () => ({ get: () => null, set: () => undefined }),
    // With three parameters it is asynchronous for find-my-way.
    deriveConstraint(raw: IncomingMessage, _context?: unknown, done?: (error: null) => void) {
      const finish = (found?: string) => {
        const method = found ?? toMethod(raw.headers[overrideHeader])
        if (method !== undefined) setMethod(raw, method)
        done?.(null)
      }
      // An overridden preflight would perform the write that it asks permission for.
      const isFixed = isRawRequest(raw) || isPreflight(raw)
      const found = isFixed ? raw.method : findInQuery(raw)
      const decided = found !== undefined || !hasBody(raw) || isDecided(raw)
      const go = (isFound: boolean) => {
        if (isFound) finish(found)
        else
          readBody(raw, ({ formHeaders }) => {
            finish(toMethod(formHeaders?._method))
          })
      }
      if (decided instanceof Promise) void decided.then(go)
      else go(decided)
    },
  }
}

function findInQuery({ target }: IncomingMessage): string | undefined {
  try {
    return toMethod(target?.getQuery().formHeaders._method)
  } catch {
    return undefined
  }
}

const overridingMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']

function toMethod(value: unknown): string | undefined {
  // toUpperCase would turn the long s, which is not ASCII, into S.
  if (typeof value !== 'string' || !/^[A-Za-z]+$/.test(value)) return undefined
  const method = value.toUpperCase()
  if (method === 'OPTION') return 'OPTIONS'
  return overridingMethods.includes(method) ? method : undefined
}

export function assertNotUnsafeLink(
  { receivedMethod, headers, method = '' }: IncomingMessage,
  ownOrigin: string,
  { methodOverride }: Config,
): void {
  if (receivedMethod === undefined || isSafe(method)) return
  if (methodOverride === 'unsafe-from-post' && receivedMethod !== 'POST') {
    throw overrideNeedsPost(method)
  }
  if (receivedMethod !== 'GET' && receivedMethod !== 'HEAD') return
  const { referer, 'sec-fetch-site': site } = headers
  const hasOwnReferer = isSameOrigin(referer, ownOrigin)
  const isBrowser = headers['user-agent']?.startsWith('Mozilla/') === true
  const mayBeLink =
    (site !== undefined && site !== 'same-origin') ||
    (referer !== undefined && !hasOwnReferer) ||
    /prefetch/i.test(`${String(headers['sec-purpose'])} ${String(headers.purpose)}`) ||
    // Browsers omit Sec-Fetch-Site on plain HTTP.
    (isBrowser && site === undefined && !hasOwnReferer)
  if (mayBeLink) throw unsafeLink(receivedMethod, method)
}

/** Sets headers from the fields of a form. A header that was sent wins, then the body, then the query. */
export function applyFormHeaders(app: FastifyInstance): void {
  const setHeaders = ({ raw, headers }: FastifyRequest, _: unknown, done: () => void) => {
    const fields = { ...raw.target?.getQuery().formHeaders, ...raw.parsedBody?.formHeaders }
    const { _if_match: ifMatch, _idempotency_key: key } = fields
    if (ifMatch !== undefined) headers['if-match'] ??= parameterToText(ifMatch)
    if (key !== undefined) headers['idempotency-key'] ??= parameterToText(key)
    done()
  }
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every(isSafe) || route.config?.readsBodyItself === true) return
    route.preHandler = [setHeaders, ...[route.preHandler ?? []].flat()]
  })
}
