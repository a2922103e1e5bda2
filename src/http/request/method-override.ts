import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { hasBody, type BodyReader } from '../body/body-reader.ts'
import { isPreflight, isSameOrigin } from '../security/origins.ts'
import { HttpError } from '../errors/http-error.ts'
import { decodePath, isRawRequest, setMethod, toPath } from './target.ts'
import { parameterToText, type takeFormHeaders } from './parameters.ts'

type FormHeaders = ReturnType<typeof takeFormHeaders>

export function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'].includes(method)
}

export const overrideHeader = 'x-http-method-override'

interface OverrideParts {
  readBody: BodyReader
  isDecided: (raw: IncomingMessage) => boolean | Promise<boolean>
  findAllowedMethods: FastifyInstance['findAllowedMethods']
}

/** Chooses the method of a request before it is routed: see decisions/002-method-override.md. */
export function createMethodOverride(parts: OverrideParts) {
  const { readBody, isDecided, findAllowedMethods } = parts
  const keepsMethod = ({ url = '' }: IncomingMessage) => {
    const path = toPath(url)
    return decodePath(path) !== undefined && findAllowedMethods(path)?.keepsMethod === true
  }
  return (raw: IncomingMessage, next: () => void): void => {
    const finish = (fields: FormHeaders = {}) => {
      const named = '_method' in fields ? fields._method : raw.headers[overrideHeader]
      const method = toMethod(named)
      if (method === undefined && '_method' in fields)
        raw.unknownMethod = parameterToText(fields._method)
      if (method !== undefined && !keepsMethod(raw)) setMethod(raw, method)
      next()
    }
    // An overridden preflight would perform the write that it asks permission for.
    if (isRawRequest(raw) || isPreflight(raw)) {
      next()
      return
    }
    const fields = readQuery(raw)
    const readUnlessDecided = (decided: boolean) => {
      if (decided) finish(fields)
      else
        readBody(raw, ({ formHeaders }) => {
          finish(formHeaders)
        })
    }
    const decided = '_method' in fields || !carriesFields(raw) || isDecided(raw)
    if (decided instanceof Promise) void decided.then(readUnlessDecided)
    else readUnlessDecided(decided)
  }
}

function readQuery({ target }: IncomingMessage): FormHeaders {
  try {
    return target?.getQuery().formHeaders ?? {}
  } catch {
    return {}
  }
}

/** RFC 9110 §9.3.1: the content of GET, HEAD and DELETE has no meaning. */
function carriesFields(raw: IncomingMessage): boolean {
  return ['POST', 'PUT', 'PATCH', 'OPTIONS'].includes(raw.method ?? '') && hasBody(raw)
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
    const detail = `Only POST can be overridden to ${method} here (METHOD_OVERRIDE). Send ${method}, or POST with _method=${method}.`
    throw new HttpError('unsafe-link', detail)
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
  if (!mayBeLink) return
  const detail = `A link must not turn ${receivedMethod} into ${method}. Use a form or a script of this site.`
  throw new HttpError('unsafe-link', detail)
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
