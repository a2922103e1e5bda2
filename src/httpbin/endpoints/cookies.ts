import type { Pair } from '../../http/security/visitor-response.ts'
import type { Dialect, DialectRequest } from '../dialect.ts'
import { toBase } from '../dialects/httpbin.ts'
import { inPythonOnly, toEndpoint } from '../endpoint.ts'
import { addHeaders, renderJson, renderRedirect } from '../render.ts'
import { decodeLatin1, findFirst, groupValues } from '../text.ts'

const statuses = [302]

export const cookieEndpoints = [
  toEndpoint('/cookies', 'Return the cookies', (request) => {
    const isAll = !request.dialect.isPython || findFirst(request.query, 'show_env') !== undefined
    const shown = [...parseCookies(request)].filter(([name]) => isAll || !isStatistic.test(name))
    return renderJson(request, { cookies: Object.fromEntries(shown) })
  }),
  toEndpoint('/cookies/set', 'Set a cookie for each parameter', { statuses }, (request) =>
    setCookies(request, request.query),
  ),
  toEndpoint(
    '/cookies/set/:name=a/:value=b',
    'Set a cookie',
    { methods: inPythonOnly, statuses },
    (request, name, value) => setCookies(request, [[name, value]]),
  ),
  toEndpoint('/cookies/delete', 'Delete the cookie of each parameter', { statuses }, (request) =>
    setCookies(request, request.query, true),
  ),
]

/** `?show_env` shows these cookies of httpbin.org. */
const isStatistic = /^(_gauges_unique(_year|_month|_day|_hour)?|__utm[zab])$/

function setCookies(request: DialectRequest, pairs: readonly Pair[], isDeletion = false) {
  const { dialect, prefix } = request
  const { isPython } = dialect
  const toAttributes = isPython ? toPythonAttributes : toGoAttributes
  const attributes = toAttributes(request, isDeletion)
  // The first value of a name counts.
  const cookies = [...groupValues(pairs)]
    .filter(([name]) => (isPython ? name !== '' : /^[\w!#$%&'*+.^`|~-]+$/.test(name)))
    .map(([name, [value = '']]) =>
      toCookie([name, isDeletion && isPython ? '' : value], dialect, attributes),
    )
  return addHeaders(renderRedirect(request, `${prefix}/cookies`), ...cookies)
}

function toPythonAttributes(request: DialectRequest, isDeletion: boolean): string[] {
  if (isDeletion) return ['Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'Max-Age=0', 'Path=/']
  return toBase(request).startsWith('https://') ? ['Secure', 'Path=/'] : ['Path=/']
}

/** `attr[Secure]=1` and others replace the defaults. */
function toGoAttributes(request: DialectRequest, isDeletion: boolean): string[] {
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
    ...(isSet('secure', toBase(request).startsWith('https://')) ? ['Secure'] : []),
    ...(sameSite === undefined ? [] : [`SameSite=${sameSite}`]),
  ]
}

export function parseCookies({ headers, dialect: { isPython } }: DialectRequest) {
  const cookies = new Map<string, string>()
  const sent = headers.filter(([name]) => name.toLowerCase() === 'cookie')
  const format = isPython ? pythonCookie : goCookie
  for (const part of sent.flatMap(([, value]) => splitCookies(value, isPython))) {
    const [, name = '', quoted, plain = ''] = format.exec(part) ?? []
    // The first of a name counts in httpbin, and the last in go-httpbin.
    if (name === '' || (isPython && cookies.has(name))) continue
    cookies.set(name, isPython && quoted !== undefined ? unescape(quoted) : (quoted ?? plain))
  }
  return cookies
}

/** In httpbin a quoted value may contain `;`. */
function splitCookies(value: string, isPython: boolean): readonly string[] {
  return isPython ? (value.match(/(?:(?<!\\)"(?:[^\\"]|\\.)*"|[^;])+/g) ?? []) : value.split(';')
}

const pythonCookie =
  /^[ \t]*([^ \t=";]+)(?:[ \t]*=[ \t]*(?![ \t])(?:"((?:[^\\"]|\\.)*)"|([^ \t";]*)))?[ \t]*$/
const goCookie =
  /^\s*([\w!#$%&'*+.^`|~-]+)(?:=(?:"([ !#-:<-[\]-~]*)"|((?:[ !#-:<-[\]-~]*[!#-:<-[\]-~])?)))?\s*$/

function unescape(text: string): string {
  const toUnit = (_: string, code: string) =>
    code.length === 3 ? String.fromCharCode(parseInt(code, 8)) : code
  return decodeLatin1(text.replaceAll(/\\([0-3][0-7]{2}|.)/g, toUnit))
}

export function toCookie(
  [name, value]: Pair,
  { isPython }: Dialect,
  attributes = ['Path=/'],
): Pair {
  const text = isPython ? quotePython(value) : quoteGo(value)
  return ['Set-Cookie', [`${name}=${text}`, ...attributes].join('; ')]
}

function quotePython(value: string): string {
  if (/^[\w!#$%&'()*+\-./:<=>?@[\]^`{|}~]*$/.test(value)) return value
  const toEscape = (unit: string) =>
    `\\${/["\\]/.test(unit) ? unit : unit.charCodeAt(0).toString(8).padStart(3, '0')}`
  const bytes = Buffer.from(value).toString('latin1')
  return `"${bytes.replaceAll(/[\p{Cc}",;\\\x80-\xff]/gu, toEscape)}"`
}

function quoteGo(value: string): string {
  const valid = value.replaceAll(/[^ !#-:<-[\]-~]/g, '')
  return /[ ,]/.test(valid) ? `"${valid}"` : valid
}
