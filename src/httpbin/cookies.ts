import type { Pair } from '../http/security/visitor-response.ts'
import type { BinRequest, Dialect } from './dialect.ts'
import { decodeLatin1 } from './text.ts'

export interface Cookie {
  name: string
  value: string
  /** After the value, for example `Path=/`. */
  attributes?: readonly string[]
}

export function parseCookies({ headers, dialect: { isPython } }: BinRequest): Map<string, string> {
  const cookies = new Map<string, string>()
  const sent = headers.filter(([name]) => name.toLowerCase() === 'cookie')
  const format = isPython ? pythonCookie : goCookie
  for (const part of sent.flatMap(([, value]) => splitCookies(value, isPython))) {
    const [, name = '', quoted, plain = ''] = format.exec(part) ?? []
    if (name === '') continue
    // The first of a name in httpbin, the last in go-httpbin.
    if (isPython && cookies.has(name)) continue
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
  const bytes = text.replaceAll(/\\([0-3][0-7]{2}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(parseInt(code, 8)) : code,
  )
  return decodeLatin1(bytes)
}

/** The header. */
export function toCookie(
  { name, value, attributes = ['Path=/'] }: Cookie,
  { isPython }: Dialect,
): Pair {
  const text = isPython ? quotePython(value) : quoteGo(value)
  return ['Set-Cookie', [`${name}=${text}`, ...attributes].join('; ')]
}

export const isToken = (name: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)

function quotePython(value: string): string {
  if (/^[\w!#$%&'()*+\-./:<=>?@[\]^`{|}~]*$/.test(value)) return value
  const bytes = Buffer.from(value).toString('latin1')
  const quoted = bytes.replaceAll(/[\p{Cc}",;\\\x80-\xff]/gu, (unit) =>
    unit === '"' || unit === '\\'
      ? `\\${unit}`
      : `\\${unit.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return `"${quoted}"`
}

function quoteGo(value: string): string {
  const valid = value.replaceAll(/[^ !#-:<-[\]-~]/g, '')
  return /[ ,]/.test(valid) ? `"${valid}"` : valid
}
