import { decodePercent, utf8ToText } from '../../http/body/utf8-to-text.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import type { DialectRequest, Dialect, ParsedBody } from '../dialect.ts'
import { JsonNumber, parseJsonNumbers, toPrettyJson } from '../json.ts'
import { parseParts } from '../../http/body/parse-parts.ts'
import { quote } from '../parameters.ts'
import { renderAs } from '../render.ts'
import {
  decodeLatin1,
  decodeText,
  findHeader,
  groupValues,
  hasTooManyPairs,
  sortByName,
  splitPairs,
  toCanonical,
  toPercent,
  toUrlBase64,
} from '../text.ts'
import { knownReasons, toBase } from './httpbin.ts'

const jsonType = 'application/json; charset=utf-8'
const textType = 'text/plain; charset=utf-8'

const missing = '404 page not found\n'
const reasons: typeof knownReasons = { ...knownReasons, 418: "I'm a teapot", 509: undefined }

export const goHttpbin: Dialect = {
  name: 'go-httpbin',
  isPython: false,
  title: 'go-httpbin 2.25.0',
  jsonType,
  textType,
  jsonStyle: { sortsMaps: false, escaped: /[\u2028\u2029\ufffd]+/g, compact: [',', ':'] },
  splitPath: (path) => path.split('/').map((part) => decodeText(part)),
  parseQuery: (text) => parsePairs(text).pairs,
  toValues: toLists,
  toHeaders: ({ headers }) =>
    toLists(headers.map(([name, value]) => [toCanonical(name), decodeLatin1(value)])),
  toOrigin,
  toUrl,
  parseBody,
  parseInteger: (text, what, parser = 'Atoi') => {
    const detail = `invalid ${what}: strconv.${parser}: parsing ${quote(text)}`
    if (!/^[+-]?\d+$/.test(text)) throw badRequest(`${detail}: invalid syntax`)
    // The sum of -0 and 0 is 0.
    if (Math.abs(Number(text)) < 2 ** 63) return Number(text) + 0
    throw badRequest(`${detail}: value out of range`)
  },
  missing,
  wrongMethod: 'Method Not Allowed\n',
  renderError: ({ status, message }) => {
    // Its router, unlike its handlers, sends plain text.
    if (message === missing || status === 405) return renderAs(textType, message, status)
    if (status === 413) return goHttpbin.renderError(toBodyError('http: request body too large'))
    const members = new Map<string, unknown>([['status_code', status]])
    members.set('error', goHttpbin.toReason(status))
    if (message !== '') members.set('detail', message)
    return renderAs(jsonType, toPrettyJson(members, goHttpbin.jsonStyle), status)
  },
  toAllow: (methods) =>
    [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].toSorted().join(', '),
  preflightMethods: 'GET, POST, HEAD, PUT, DELETE, PATCH, OPTIONS',
  toReason: (status) => reasons[status] ?? `status code ${String(status)}`,
}

/** Go keeps the path as sent only if each of its characters is valid. */
function toUrl(request: DialectRequest): string {
  const { path, target } = request
  const isValid = /^[\w.~!$&'()*+,;=:@[\]/%-]*$/.test(path)
  const shown = isValid ? path : decodePercent(path).toString('latin1').replaceAll(escaped, toCode)
  return toBase(request) + shown + decodeLatin1(target.slice(path.length))
}

const escaped = /[^\w.~$&+,/:;=@-]/g
const toCode = (unit: string) => toPercent(unit.charCodeAt(0))

function toLists(pairs: readonly Pair[]): Map<string, string[]> {
  return new Map(sortByName([...groupValues(pairs)]))
}

/** The first of these headers wins, from any client. */
const addressHeaders = ['fly-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'true-client-ip']

function toOrigin({ fastify, headers }: DialectRequest): string {
  for (const name of addressHeaders) {
    const address = findHeader(headers, name)
    if (address) return address
  }
  const [forwarded = ''] = (findHeader(headers, 'x-forwarded-for') || fastify.ip).split(',', 1)
  return forwarded.trim()
}

function parsePairs(text: string): { pairs: readonly Pair[]; error?: string } {
  if (hasTooManyPairs(text)) {
    return { pairs: [], error: 'number of URL query parameters exceeded limit' }
  }
  if (isPlain.test(text)) return { pairs: splitPairs(text) }
  let error: string | undefined
  const pairs: Pair[] = []
  for (const part of text.split('&')) {
    const [pair = ['', '']] = splitPairs(part)
    const [invalid] = pair.flatMap((half) => /%(?![\da-f]{2}).{0,2}/is.exec(half) ?? [])
    if (part.includes(';')) error = 'invalid semicolon separator in query'
    else if (invalid !== undefined) error ??= `invalid URL escape ${quote(invalid)}`
    else if (part !== '') pairs.push([decodeText(pair[0]), decodeText(pair[1])])
  }
  return { pairs, ...(error !== undefined && { error }) }
}

/** Nothing is to be decoded. */
const isPlain = /^[\w.~*,:@/&=-]*$/

const toBodyError = (message: string) => badRequest(`error parsing request body: ${message}`)

function parseBody(request: DialectRequest): ParsedBody {
  const { body } = request
  const whole = { data: utf8ToText(body), files: {}, form: {}, json: null }
  if (body.length === 0) return whole
  const contentType = findHeader(request.headers, 'content-type') ?? ''
  const type = contentType.replace(/;.*/s, '')
  if (type === 'text/html' || type === 'text/plain') return whole
  if (type === 'application/x-www-form-urlencoded') return { ...whole, form: parseFields(request) }
  if (type === 'multipart/form-data') return { ...whole, ...parseForm(body, contentType) }
  if (type === 'application/json') return { ...whole, json: parseGoJson(request, whole.data) }
  return {
    ...whole,
    data: `data:${type || 'application/octet-stream'};base64,${toUrlBase64(body)}`,
  }
}

function parseFields({ body, path, target }: DialectRequest): object {
  const { pairs, error } = parsePairs(body.toString('latin1'))
  const message = error ?? parsePairs(target.slice(path.length + 1)).error
  if (message !== undefined) throw toBodyError(message)
  return toLists(pairs)
}

function parseForm(body: Buffer, contentType: string): Pick<ParsedBody, 'files' | 'form'> {
  const parts = parseParts(body, contentType, false)
  if (!parts) throw toBodyError('multipart: NextPart: EOF')
  const toPairs = (isFile: boolean) =>
    parts
      .filter(({ name, fileName }) => name !== '' && Boolean(fileName) === isFile)
      .map(({ name, bytes }): Pair => [name, utf8ToText(bytes)])
  return { form: toLists(toPairs(false)), files: toLists(toPairs(true)) }
}

function parseGoJson({ config }: DialectRequest, text: string): unknown {
  try {
    return parseJsonNumbers(text, config, parseGoNumber)
  } catch (error) {
    throw toBodyError(error instanceof Error ? error.message : '')
  }
}

function parseGoNumber(digits: string): unknown {
  const value = Number(digits)
  if (Number.isFinite(value)) return Object.is(value, -0) ? new JsonNumber('-0') : value
  throw new Error(`json: cannot unmarshal number ${digits} into Go value of type float64`)
}
