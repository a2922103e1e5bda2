import type { Pair } from '../../http/security/visitor-response.ts'
import { parseCookies, isToken, toCookie } from '../cookies.ts'
import { toScheme } from '../dialects/httpbin.ts'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { forReads, inPythonOnly, toEndpoint, type Endpoint } from '../endpoint.ts'
import { addHeaders, renderJson, renderRedirect } from '../render.ts'
import { findValue } from '../text.ts'

export const cookieEndpoints: readonly Endpoint[] = [
  toEndpoint('/cookies', 'Return the cookies', renderCookies, { methods: forReads }),
  toEndpoint(
    '/cookies/set',
    'Set a cookie for each parameter',
    (request) => setCookies(request, request.query),
    { statuses: [302] },
  ),
  toEndpoint(
    '/cookies/set/:name/:value',
    'Set a cookie',
    (request) => {
      const [name = '', value = ''] = request.parameters
      return setCookies(request, [[name, value]])
    },
    { methods: inPythonOnly, samples: { name: 'a', value: 'b' }, statuses: [302] },
  ),
  toEndpoint(
    '/cookies/delete',
    'Delete the cookie of each parameter',
    (request) => setCookies(request, request.query, true),
    { statuses: [302] },
  ),
]

/** Cookies of the statistics of httpbin.org, which `?show_env` shows. */
const hidden = /^(_gauges_unique(_year|_month|_day|_hour)?|__utm[zab])$/

function renderCookies(request: BinRequest): BinResponse {
  const isAll = !request.dialect.isPython || findValue(request.query, 'show_env') !== undefined
  const shown = [...parseCookies(request)].filter(([name]) => isAll || !hidden.test(name))
  return renderJson(request, { cookies: Object.fromEntries(shown) })
}

function setCookies(request: BinRequest, pairs: readonly Pair[], isDeletion = false): BinResponse {
  const { dialect, prefix } = request
  const { isPython } = dialect
  // The first value of a name.
  const values = new Map(pairs.toReversed())
  const names = [...new Set(pairs.map(([name]) => name))]
  const isAttribute = (name: string) => !isPython && /^attr\[.*\]$/s.test(name)
  const attributes = isPython
    ? toPythonAttributes(request, isDeletion)
    : toGoAttributes(request, isDeletion)
  const cookies = names
    .filter((name) => (isPython ? name !== '' : isToken(name)) && !isAttribute(name))
    .map((name) => {
      const value = isDeletion && isPython ? '' : (values.get(name) ?? '')
      return toCookie({ name, value, attributes }, dialect)
    })
  return addHeaders(renderRedirect(request, `${prefix}/cookies`), ...cookies)
}

function toPythonAttributes(request: BinRequest, isDeletion: boolean): readonly string[] {
  if (isDeletion) return ['Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'Max-Age=0', 'Path=/']
  return toScheme(request) === 'https' ? ['Secure', 'Path=/'] : ['Path=/']
}

/** `attr[Secure]=1` and others replace the defaults. */
function toGoAttributes(request: BinRequest, isDeletion: boolean): readonly string[] {
  const given = new Map<string, string>()
  for (const [name, value] of request.query) {
    const [, attribute] = /^attr\[(.*)\]$/s.exec(name) ?? []
    if (attribute !== undefined) given.set(attribute.toLowerCase(), value)
  }
  const isSet = (name: string, fallback: boolean) => {
    const value = given.get(name)
    return value === undefined ? fallback : /^(1|true)$/i.test(value)
  }
  const path = (given.get('path') ?? '/').replaceAll(/[^ -:<-~]/g, '')
  const yearAgo = new Date(Date.now() - 365 * 24 * 3_600_000).toUTCString()
  const asked = given.get('samesite')?.toLowerCase()
  const sameSite = ['Strict', 'Lax', 'None'].find((one) => one.toLowerCase() === asked)
  return [
    ...(path === '' ? [] : [`Path=${path}`]),
    ...(isDeletion ? [`Expires=${yearAgo}`, 'Max-Age=0'] : []),
    ...(isSet('httponly', true) ? ['HttpOnly'] : []),
    ...(isSet('secure', toScheme(request) === 'https') ? ['Secure'] : []),
    ...(sameSite === undefined ? [] : [`SameSite=${sameSite}`]),
  ]
}
