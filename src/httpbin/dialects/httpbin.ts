import { formatNumber } from '../../config/format-count.ts'
import { utf8ToText } from '../../http/body/utf8-to-text.ts'
import type { Config } from '../../config/config.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import { isUtf8 } from 'node:buffer'
import { maxFormPairs } from '../../config/limits.ts'
import { badRequest, contentTooLarge, notFound } from '../../http/errors/http-error.ts'
import { remember } from '../../http/remember.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import { toOrigin } from '../../http/request/request-head.ts'
import type { DialectRequest, Dialect, ParsedBody } from '../dialect.ts'
import { JsonNumber, parseJsonNumbers } from '../json.ts'
import { parseParts, type ParsedPart } from '../../http/body/parse-parts.ts'
import { escapeHtml, renderAs } from '../render.ts'
import {
  decodeText,
  findHeader,
  findFirst,
  groupValues,
  hasTooManyPairs,
  splitPairs,
  toPercent,
} from '../text.ts'

const textType = 'text/html; charset=utf-8'

const missing =
  'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.'

/** Python and Go have the reasons of older RFCs. */
export const knownReasons: typeof STATUS_CODES = {
  ...STATUS_CODES,
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  422: 'Unprocessable Entity',
}

const reasons: typeof STATUS_CODES = {
  ...knownReasons,
  203: 'Non Authoritative Information',
  207: 'Multi Status',
  306: 'Switch Proxy',
  449: 'Retry With',
  511: 'Network Authentication Failed',
}

export const httpbin: Dialect = {
  name: 'httpbin',
  isPython: true,
  title: 'httpbin 0.10.4',
  jsonType: 'application/json',
  textType,
  jsonStyle: { sortsMaps: true, escaped: /[\x7f-\uffff]+/g, compact: [', ', ': '] },
  // A percent-encoded slash is a slash, as in WSGI.
  splitPath: (path) => decodeText(path, toPercent).split('/'),
  parseQuery: (text) =>
    splitPairs(text).map(([name, value]) => [
      decodeText(name, toPercent),
      decodeText(value, toPercent),
    ]),
  toValues: (pairs) => {
    const toValue = ([name, values]: [string, string[]]) =>
      [name, values.length === 1 ? values[0] : values] as const
    return new Map<string, unknown>([...groupValues(pairs)].map(toValue))
  },
  toHeaders: joinHeaders,
  toOrigin: ({ fastify, headers }) => findHeader(headers, 'x-forwarded-for') ?? fastify.ip,
  toUrl,
  parseBody,
  parseInteger: (text, what) => {
    if (!/^\d+$/.test(text)) throw notFound(missing)
    if (Number.isSafeInteger(Number(text))) return Number(text)
    throw badRequest(`The ${what} exceeds ${String(Number.MAX_SAFE_INTEGER)}.`)
  },
  missing,
  wrongMethod: 'The method is not allowed for the requested URL.',
  renderError: ({ status, message }) => {
    if (status === 400) return renderAs('text/plain; charset=utf-8', message, status)
    const title = reasons[status] ?? 'Unknown'
    const head = `<!doctype html>\n<html lang=en>\n<title>${String(status)} ${title}</title>`
    const page = `${head}\n<h1>${title}</h1>\n<p>${escapeHtml(message)}</p>\n`
    return renderAs(textType, page, status)
  },
  toAllow: (methods) =>
    [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '),
  preflightMethods: 'GET, POST, PUT, DELETE, PATCH, OPTIONS',
  toReason: (status) => (reasons[status] ?? 'Unknown').toUpperCase(),
}

/** `?show_env` shows these headers of proxies. */
const isHidden = remember((name) =>
  /^(X-(Forwarded-(For|Port|Proto|Protocol|Ssl)|Heroku-(Dynos-In-Use|Queue-Depth|Queue-Wait-Time)|Real-Ip|Request-(Id|Start)|Varnish)|Connect-Time|Total-Route-Time|Via)$/.test(
    name,
  ),
)

/** Returns an empty text for a header that is not shown: gunicorn drops names with an underscore, as WSGI has no hyphens. */
const toShownName = remember((sent) => {
  if (sent.includes('_')) return ''
  return sent.toLowerCase().replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase())
})

function joinHeaders({ headers, query }: DialectRequest): Map<string, string> {
  const joined = new Map<string, string>()
  const isAll = findFirst(query, 'show_env') !== undefined
  for (const [sent, value] of headers) {
    const name = toShownName(sent)
    if (name === '' || (!isAll && isHidden(name))) continue
    const known = joined.get(name)
    joined.set(name, known === undefined || isSingle.test(name) ? value : `${known},${value}`)
  }
  return joined
}

const isSingle = /^Content-(Type|Length)$/

export function toBase({ fastify, headers }: DialectRequest): string {
  const isSecure = findHeader(headers, 'x-forwarded-ssl') === 'on'
  const scheme =
    findHeader(headers, 'x-forwarded-proto') ||
    findHeader(headers, 'x-forwarded-protocol') ||
    (isSecure ? 'https' : fastify.protocol)
  const origin = toOrigin(fastify)
  return scheme + origin.slice(origin.indexOf(':'))
}

/** Werkzeug shows an IRI: most percent-encodings are decoded. */
function toUrl(request: DialectRequest): string {
  const { path, target } = request
  const base = toBase(request)
  if (/^[\w/.~?&=-]*$/.test(target)) return base + target.replace(/\?$/, '')
  // The path is decoded twice: by WSGI, and when it becomes an IRI.
  const once = encodeURI(decodeText(path)).replaceAll('%25', '%')
  const again = once.replaceAll('?', '%3F').replaceAll('#', '%23')
  const query = decodeExcept(target.slice(path.length), keptInQuery)
  return base + decodeExcept(again, keptInPath) + (query === '?' ? '' : query)
}

const keptInPath = /%(?=[01][\da-f]|2[0135f]|3f|7f)/gi
const keptInQuery = /%(?=[01][\da-f]|2[01356b]|3d|7f)/gi

const decodeExcept = (text: string, kept: RegExp) =>
  decodeText(text.replaceAll(kept, '%25'), toPercent)

const emptyBody: ParsedBody = { data: '', files: {}, form: {}, json: null }

function parseBody(request: DialectRequest): ParsedBody {
  const { body, config } = request
  const contentType = findHeader(request.headers, 'content-type') ?? ''
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') {
    const text = isUtf8(body) ? body.toString('latin1') : ''
    if (hasTooManyPairs(text))
      throw contentTooLarge(`The form has more than ${formatNumber(maxFormPairs)} fields.`)
    return { ...emptyBody, form: httpbin.toValues(httpbin.parseQuery(text)) }
  }
  if (type === 'multipart/form-data' && /;\s*boundary=./i.test(contentType))
    return { ...emptyBody, ...parseForm(body, contentType) }
  const data = toDataText(body, 'application/octet-stream')
  return { ...emptyBody, data, json: isUtf8(body) ? findJson(data, config) : null }
}

function parseForm(body: Buffer, contentType: string): Pick<ParsedBody, 'files' | 'form'> {
  const parts = parseParts(body, contentType, true) ?? []
  const texts = parts.filter(({ fileName }) => fileName === undefined)
  const pairs = texts.map(({ name, type = '', bytes }): Pair => [
    name,
    /charset="?iso-8859-1/i.test(type) ? bytes.toString('latin1') : utf8ToText(bytes),
  ])
  // The first file of a name counts.
  const files = parts.filter(({ fileName }) => fileName !== undefined).toReversed()
  const toFile = ({ name, bytes, type = 'application/octet-stream' }: ParsedPart) =>
    [name, toDataText(bytes, type)] as const
  return { form: httpbin.toValues(pairs), files: new Map(files.map(toFile)) }
}

function toDataText(bytes: Buffer, type: string): string {
  return isUtf8(bytes) ? bytes.toString() : `data:${type};base64,${bytes.toString('base64')}`
}

function findJson(text: string, config: Config): unknown {
  try {
    return parseJsonNumbers(text, config, (digits) => new JsonNumber(toPythonNumber(digits)))
  } catch {
    return null
  }
}

/** `repr` of Python writes numbers so. Its integers have any size. */
function toPythonNumber(digits: string): string {
  if (/^-?\d+$/.test(digits)) return digits === '-0' ? '0' : digits
  const value = Number(digits)
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  const [mantissa = '', sign = '', power = ''] = value.toExponential().split(/e([+-])/)
  const isLong = value !== 0 && Number(power) > (sign === '-' ? 4 : 15)
  if (isLong) return `${mantissa}e${sign}${power.padStart(2, '0')}`
  const plain = Object.is(value, -0) ? '-0' : String(value)
  return plain.includes('.') ? plain : `${plain}.0`
}
