import { isUtf8 } from 'node:buffer'
import { isObject } from '../config/is-object.ts'
import { findField, type Fields } from '../exchanges/exchange.ts'
import { isJsonType, toMediaType } from '../http/body/body-reader.ts'
import { parseJson } from '../http/body/parse-json.ts'
import { isVisitorHeader } from '../http/security/visitor-response.ts'
import { isWithoutContent } from '../http/response/without-content.ts'
import { maskBody, maskRequestTarget } from '../inspector/recorder/mask-body.ts'
import { findMasked, maskEcho } from '../inspector/recorder/mask-echo.ts'
import { maskField } from '../inspector/recorder/mask.ts'
import type { Description } from '../responses/description.ts'
import { isTemplate } from '../responses/is-template.ts'
import { findPosted, toFields, type HarEntry } from './parse-entry.ts'

/** A client sends a token again, and many cannot send other characters than those of ASCII. */
const masked = 'masked'
const maskPattern = /(?<!•)•{6}(?!•)/g
const toAscii = (text: string) => text.replaceAll(maskPattern, masked)

export interface Body {
  bytes: Buffer
  /** The body as members of a description, if it is text. */
  inline: Pick<Description, 'body' | 'json'> | undefined
}

export interface Response {
  description: Description
  body: Body
  /** Where secrets were: `cookie.session`, `header.x-key`, `json.token`, `body`. */
  secrets: readonly string[]
  isIncomplete: boolean
}

/** The response as a description, without its body, and the body beside it. Secrets are masked. */
export function toResponse(entry: HarEntry, maxJsonDepth: number): Response {
  const { status, headers: named, content = {} } = entry.response
  const given = toFields(named)
  const fields = given.map(([name, value]) => [name, toAscii(maskField(name, value))] as const)
  const type = findField(fields, 'content-type') ?? toNamedType(content.mimeType)
  const source = toBytes(entry)
  const isText = isUtf8(source) && !source.includes(0)
  const hidden = isText ? maskText(entry, type, source.toString()) : undefined
  const text = hidden === undefined ? undefined : toAscii(hidden)
  const bytes = text === undefined ? source : Buffer.from(text)
  const inline = text === undefined ? undefined : toInline(type, text, maxJsonDepth)
  const size = 'size' in content && typeof content.size === 'number' ? content.size : 0
  const cut = 'comment' in content && /only the start/i.test(content.comment ?? '')
  return {
    // The browser has used its own copy of the body.
    description: toHead(status === 304 ? 200 : status, fields, toOwnType(type, bytes, inline)),
    body: { bytes, inline },
    secrets: [...findInFields(given, fields), ...(hidden === text ? [] : findInBody(inline))],
    isIncomplete: cut || (size > 0 && content.text === undefined && !isWithoutBody(entry)),
  }
}

const toNamedType = (type = '') => (type === 'x-unknown' ? '' : type)

const isWithoutBody = ({ request, response }: HarEntry) =>
  request.method === 'HEAD' || isWithoutContent(response.status)

/** A body in an archive has no content coding. */
function toBytes(entry: HarEntry): Buffer {
  const { text = '', encoding = '' } = entry.response.content ?? {}
  const isEmpty = isWithoutBody(entry) && entry.response.status !== 304
  return isEmpty
    ? Buffer.alloc(0)
    : Buffer.from(text, /^base64$/i.test(encoding) ? 'base64' : 'utf8')
}

/** A response can repeat the secrets of its request. */
function maskText(entry: HarEntry, type: string, text: string): string {
  const secrets: string[] = []
  for (const [name, value] of toFields(entry.request.headers))
    secrets.push(...findMasked(value, maskField(name, value)))
  maskRequestTarget(entry.request.url, secrets)
  const posted = findPosted(entry)
  if (posted) maskBody(posted.type, posted.text, secrets)
  return maskEcho(maskBody(type, text), secrets)
}

/** Text stays as it is, down to its white space, unless JSON has the same without. */
function toInline(type: string, text: string, maxJsonDepth: number): Body['inline'] {
  // Base64 and files are no templates.
  if (isTemplate(text)) return undefined
  const json = isJsonType(toMediaType(type)) ? findJson(text, maxJsonDepth) : undefined
  return json === undefined ? { body: text } : { json: json.value }
}

/** The brackets of the file around it count too. */
const outerDepth = 6

function findJson(text: string, maxJsonDepth: number): { value: unknown } | undefined {
  try {
    const value = parseJson(text, { maxJsonDepth: maxJsonDepth - outerDepth })
    const compact = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
    return JSON.stringify(value) === compact ? { value } : undefined
  } catch {
    return undefined
  }
}

function toOwnType(type: string, { length }: Buffer, inline: Body['inline']): string | undefined {
  if (length === 0 || type === '') return type || undefined
  // The archive has text in UTF-8, whatever the response had.
  const own = inline ? type.replace(/(;\s*charset=)(?!["']?utf-?8)[^;]*/i, '$1utf-8') : type
  return inline && own === defaultTypeOf(inline) ? undefined : own
}

export const defaultTypeOf = (inline: object) =>
  'json' in inline ? 'application/json' : 'text/plain; charset=utf-8'

/** These belong to the message, or are members of their own. */
const leftOut = /^(content-(encoding|length|type)|date|set-cookie)$/i

function toHead(status: number, fields: Fields, type: string | undefined): Description {
  const headers = fields.filter(([name]) => isVisitorHeader(name) && !leftOut.test(name))
  const cookies = fields.filter(([name]) => /^set-cookie$/i.test(name))
  const types = type === undefined ? [] : [['Content-Type', type] as const]
  const all = [...headers, ...cookies, ...types]
  const encoded = all.filter(([, value]) => isTemplate(value))
  const plain = (pairs: Fields) => pairs.filter(([, value]) => !isTemplate(value))
  const ofCookies = plain(cookies).map(([, value]) => value)
  return {
    ...(status !== 200 && { status }),
    ...toMember('headers', plain(headers)),
    ...toMember(
      'header_base64',
      encoded.map(([name, value]) => [name, toBase64(value)]),
    ),
    ...(ofCookies.length > 0 && { cookies: ofCookies }),
    ...plain(types).map(([, value]) => ({ type: value }))[0],
  }
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64')

function toMember(member: 'headers' | 'header_base64', pairs: Fields): Partial<Description> {
  if (pairs.length === 0) return {}
  const names = Map.groupBy(pairs, ([name]) => name.toLowerCase())
  const entries = [...names.values()].map((all) => {
    const name = all[0]?.[0] ?? ''
    const values = all.map(([, value]) => value)
    return [name, values.length === 1 ? values.join('') : values] as const
  })
  return { [member]: Object.fromEntries(entries) }
}

function findInFields(given: Fields, shown: Fields): string[] {
  return given.flatMap(([name, value], index) => {
    if (shown[index]?.[1] === value) return []
    const [cookie = ''] = value.split('=', 1)
    const lower = name.toLowerCase()
    return lower === 'set-cookie' ? `cookie.${cookie.trim()}` : `header.${lower}`
  })
}

function findInBody(inline: Body['inline']): string[] {
  if (!inline || !('json' in inline)) return ['body']
  const find = (value: unknown, path: string): string[] => {
    if (typeof value === 'string') return value.includes(masked) ? [path] : []
    if (Array.isArray(value)) return value.flatMap((each) => find(each, `${path}.*`))
    return isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => find(each, `${path}.${name}`))
      : []
  }
  return find(inline.json, 'json')
}
