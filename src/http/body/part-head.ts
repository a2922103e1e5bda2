import { badRequest } from '../errors/http-error.ts'
import { decodePath } from '../request/target.ts'
import type { Pair } from '../security/visitor-response.ts'

const line = /^([\w!#$%&'*+.^`|~-]+):([^\r\n\0]*)$/
const parameter = /\s*;\s*([\w!#$%&'+.^`|~-]+\*?)\s*=\s*(?:"((?:\\[^]|[^"\\])*)"|([^\s;"]*))/gy

/** RFC 7578 §4.2. Throws 400 for a head of which anything cannot be read, since its part would be lost. */
export function parsePartHead(head: string) {
  // RFC 5322 §2.2.3: a line that begins with a space continues the one before it.
  const lines = head === '' ? [] : head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  const given = readFields(lines, line)
  if (!given) throw badRequest('A header line of a form part is malformed.')
  const fields = toMap(given)
  const disposition = fields.get('content-disposition')
  if (disposition === undefined) throw badRequest('A form part has no Content-Disposition.')
  const { value, found, rest } = readParameters(disposition, parameter, unescape)
  if (!/^form-data\s*$/i.test(value) || /[^\s;]/.test(rest)) {
    const expected = 'form-data; name="…"'
    throw badRequest(`The Content-Disposition of a form part must have the form ${expected}.`)
  }
  const parameters = toMap(found)
  const name = parameters.get('name')
  if (name === undefined || name === '') throw badRequest('A form part has no name.')
  const extended = parameters.get('filename*')
  const fileName = extended === undefined ? parameters.get('filename') : decodeExtended(extended)
  // RFC 7578 §4.4
  return { name, fileName, contentType: fields.get('content-type') ?? 'text/plain' }
}

/** The names and values of the lines of a head. Undefined if a line does not have the format. */
export function readFields(lines: readonly string[], format: RegExp): Pair[] | undefined {
  const found = lines.flatMap((each): Pair[] => {
    const [, name, value = ''] = format.exec(each) ?? []
    return name === undefined ? [] : [[name, value.trim()]]
  })
  return found.length === lines.length ? found : undefined
}

export function readParameters(field: string, format: RegExp, toText: (quoted: string) => string) {
  const [value = ''] = field.split(';', 1)
  const text = field.slice(value.length)
  const matches = [...text.matchAll(format)]
  const found = matches.map(([, name = '', quoted, plain = '']): Pair => {
    return [name, quoted === undefined ? plain : toText(quoted)]
  })
  const length = matches.reduce((sum, [all]) => sum + all.length, 0)
  return { value, found, rest: text.slice(length) }
}

function toMap(pairs: readonly Pair[]): Map<string, string> {
  const map = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (map.has(name.toLowerCase())) throw badRequest(`A form part has ${name} twice.`)
    map.set(name.toLowerCase(), value)
  }
  return map
}

/** Browsers escape three characters with percent signs (HTML, multipart/form-data), other clients two with \. */
function unescape(quoted: string): string {
  const escaped = /\\(["\\])|%(22|0d|0a)/gi
  return quoted.replace(escaped, (_, plain?: string, hex = '') =>
    String.fromCharCode(plain === undefined ? parseInt(String(hex), 16) : plain.charCodeAt(0)),
  )
}

/** RFC 8187 §3.2.1 defines this form; only UTF-8 is read. */
function decodeExtended(value: string): string {
  const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? []
  const name = text === undefined ? undefined : decodePath(text)
  if (name !== undefined) return name
  throw badRequest("filename* of a form part must have the form UTF-8''….")
}
