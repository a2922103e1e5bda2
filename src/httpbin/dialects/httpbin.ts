import type { Config } from '../../config/config.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import { isUtf8 } from 'node:buffer'
import { badRequest, contentTooLarge, notFound } from '../../http/errors/http-error.ts'
import { remember } from '../../http/remember.ts'
import { STATUS_CODES } from '../../http/node-http.ts'
import type { DialectRequest, Dialect, ParsedBody } from '../dialect.ts'
import { JsonNumber, parseJsonNumbers } from '../json.ts'
import { parseParts } from '../multipart.ts'
import { escapeHtml } from '../render.ts'
import {
  decodeText,
  decodeUtf8,
  findHeader,
  findValue,
  groupValues,
  hasTooManyPairs,
  splitPairs,
  toPercent,
} from '../text.ts'

const htmlType = 'text/html; charset=utf-8'
const plainType = 'text/plain; charset=utf-8'

const missing =
  'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.'

/** Those of older RFCs. */
export const knownReasons: typeof STATUS_CODES = {
  ...STATUS_CODES,
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  422: 'Unprocessable Entity',
}

const reasons: typeof STATUS_CODES = {
  ...knownReasons,
  ...{ 203: 'Non Authoritative Information', 207: 'Multi Status', 306: 'Switch Proxy' },
  ...{ 449: 'Retry With', 511: 'Network Authentication Failed' },
}

export const httpbin: Dialect = {
  name: 'httpbin',
  isPython: true,
  title: 'httpbin 0.10.4',
  jsonType: 'application/json',
  textType: htmlType,
  jsonStyle: { sortsMaps: true, escaped: /[\x7f-\uffff]/g, compact: [', ', ': '] },
  // A percent-encoded slash is a slash, as in WSGI.
  splitPath: (path) => decodeText(path, toPercent).split('/'),
  parseQuery: (text) =>
    splitPairs(text).map(([name, value]) => [
      decodeText(name, toPercent),
      decodeText(value, toPercent),
    ]),
  toValues: (pairs) => {
    const values: Map<string, unknown> = groupValues(pairs)
    for (const [name, value] of values) {
      if (Array.isArray(value) && value.length === 1) values.set(name, value[0])
    }
    return values
  },
  toHeaders: joinHeaders,
  toOrigin: ({ fastify, headers }) => findHeader(headers, 'x-forwarded-for') ?? fastify.ip,
  toUrl,
  parseBody,
  parseInteger: (text, what) => {
    if (!/^\d+$/.test(text)) throw notFound(missing)
    if (Number.isSafeInteger(Number(text))) return Number(text)
    throw badRequest(`The ${what} is too large.`)
  },
  missing,
  wrongMethod: 'The method is not allowed for the requested URL.',
  renderError: ({ status, message }) => {
    if (status === 400) return { status, headers: [['Content-Type', plainType]], body: message }
    const title = reasons[status] ?? 'Unknown'
    const detail = escapeHtml(message)
    const lines = ['<!doctype html>', '<html lang=en>', `<title>${String(status)} ${title}</title>`]
    const body = [...lines, `<h1>${title}</h1>`, `<p>${detail}</p>`, ''].join('\n')
    return { status, headers: [['Content-Type', htmlType]], body }
  },
  toAllow: (methods) =>
    [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '),
  preflightMethods: 'GET, POST, PUT, DELETE, PATCH, OPTIONS',
  toReason: (status) => (reasons[status] ?? 'Unknown').toUpperCase(),
}

/** Headers of proxies, which `?show_env` shows. */
const hiddenHeader =
  /^(X-(Forwarded-(For|Port|Proto|Protocol|Ssl)|Heroku-(Dynos-In-Use|Queue-Depth|Queue-Wait-Time)|Real-Ip|Request-(Id|Start)|Varnish)|Connect-Time|Total-Route-Time|Via)$/

/** Empty if it is not shown: gunicorn drops names with an underscore, as WSGI has no hyphens. */
const toShownName = remember((sent) => {
  const name = sent
    .toLowerCase()
    .replaceAll(/[a-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1))
  return name.includes('_') ? '' : name
})

function joinHeaders({ headers, query }: DialectRequest): Map<string, string> {
  const joined = new Map<string, string>()
  const isAll = findValue(query, 'show_env') !== undefined
  for (const [sent, value] of headers) {
    const name = toShownName(sent)
    if (name === '' || (!isAll && hiddenHeader.test(name))) continue
    const known = joined.get(name)
    joined.set(name, known === undefined || isSingle.test(name) ? value : `${known},${value}`)
  }
  return joined
}

const isSingle = /^Content-(Type|Length)$/

export function toScheme({ fastify, headers }: DialectRequest): string {
  const forwarded =
    findHeader(headers, 'x-forwarded-proto') || findHeader(headers, 'x-forwarded-protocol')
  if (forwarded) return forwarded
  return findHeader(headers, 'x-forwarded-ssl') === 'on' ? 'https' : fastify.protocol
}

/** Werkzeug shows an IRI: most percent-encodings are decoded. */
function toUrl(request: DialectRequest): string {
  const { target, fastify } = request
  const origin = `${toScheme(request)}://${fastify.host}`
  if (/^[\w/.~?&=-]*$/.test(target)) return origin + target
  const [path = '', ...queries] = target.split('?')
  // The path is decoded twice: by WSGI, and when it becomes an IRI.
  const once = decodeText(path)
  const again = encodeURI(once).replaceAll('%25', '%').replaceAll('?', '%3F').replaceAll('#', '%23')
  const query = queries.join('?')
  const shown = decodeExcept(again, keptInPath) + (query && `?${decodeExcept(query, keptInQuery)}`)
  return origin + shown
}

const keptInPath = /((?:%(?:[01][\da-f]|2[0135f]|3f|7f))+)/i
const keptInQuery = /((?:%(?:[01][\da-f]|2[01356b]|3d|7f))+)/i

function decodeExcept(text: string, kept: RegExp): string {
  return text
    .split(kept)
    .map((part, index) => (index % 2 === 0 ? decodeText(part, toPercent) : part))
    .join('')
}

const emptyBody: ParsedBody = { data: '', files: {}, form: {}, json: null }

function parseBody(request: DialectRequest): ParsedBody {
  const { body, config } = request
  const contentType = findHeader(request.headers, 'content-type') ?? ''
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') {
    const text = isUtf8(body) ? body.toString('latin1') : ''
    if (hasTooManyPairs(text)) throw contentTooLarge('The form has too many fields.')
    const pairs = httpbin.parseQuery(text)
    return { ...emptyBody, form: httpbin.toValues(pairs) }
  }
  if (type === 'multipart/form-data') return { ...emptyBody, ...parseForm(body, contentType) }
  const data = toDataText(body, 'application/octet-stream')
  return {
    ...emptyBody,
    data,
    json: isUtf8(body) ? findPythonJson(data, config) : null,
  }
}

function parseForm(body: Buffer, contentType: string): Pick<ParsedBody, 'files' | 'form'> {
  const parts = parseParts(body, contentType) ?? []
  const texts = parts.filter(({ fileName }) => fileName === undefined)
  const pairs = texts.map(({ name, bytes }): Pair => [name, decodeUtf8(bytes)])
  const files = new Map<string, string>()
  for (const { name, fileName, bytes, type = 'application/octet-stream' } of parts) {
    if (fileName === undefined || files.has(name)) continue
    files.set(name, toDataText(bytes, type))
  }
  return { form: httpbin.toValues(pairs), files }
}

function toDataText(bytes: Buffer, type: string): string {
  return isUtf8(bytes) ? bytes.toString() : `data:${type};base64,${bytes.toString('base64')}`
}

function findPythonJson(text: string, config: Config): unknown {
  try {
    return parseJsonNumbers(text, config, toPythonNumber)
  } catch {
    return null
  }
}

/** As `repr` writes it. Integers have any size. */
function toPythonNumber(digits: string): JsonNumber {
  if (/^-?\d+$/.test(digits)) return new JsonNumber(digits === '-0' ? '0' : digits)
  const value = Number(digits)
  if (!Number.isFinite(value)) return new JsonNumber(value > 0 ? 'Infinity' : '-Infinity')
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const power = Number(exponent)
  if (value !== 0 && (power < -4 || power > 15)) {
    const sign = power < 0 ? '-' : '+'
    return new JsonNumber(`${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`)
  }
  const plain = Object.is(value, -0) ? '-0' : String(value)
  if (plain.includes('e')) return new JsonNumber(value.toFixed(-power + mantissa.length))
  return new JsonNumber(plain.includes('.') ? plain : `${plain}.0`)
}
