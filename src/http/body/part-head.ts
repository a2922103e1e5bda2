import { badRequest } from '../errors/http-error.ts'
import { decodePath } from '../request/target.ts'

const field = /^([\w!#$%&'*+.^`|~-]+):([^\r\n\0]*)$/
const parameter = /\s*;\s*([\w!#$%&'+.^`|~-]+\*?)\s*=\s*(?:"((?:\\[^]|[^"\\])*)"|([^\s;"]*))/gy

/** RFC 7578 §4.2. Throws 400 for a head of which anything cannot be read, since its part would be lost. */
export function parsePartHead(head: string) {
  const fields = parseFields(head)
  const disposition = fields.get('content-disposition')
  if (disposition === undefined) throw badRequest('A form part has no Content-Disposition.')
  const parameters = parseDisposition(disposition)
  const name = parameters.get('name')
  if (name === undefined || name === '') throw badRequest('A form part has no name.')
  const extended = parameters.get('filename*')
  const fileName = extended === undefined ? parameters.get('filename') : decodeExtended(extended)
  // RFC 7578 §4.4
  return { name, fileName, contentType: fields.get('content-type') ?? 'text/plain' }
}

function parseFields(head: string): Map<string, string> {
  const fields = new Map<string, string>()
  // RFC 5322 §2.2.3: a line that begins with a space continues the one before it.
  for (const line of head === '' ? [] : head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name = '', value = ''] = field.exec(line) ?? []
    if (name === '') throw badRequest('A header line of a form part is malformed.')
    addOnce(fields, name, value.trim())
  }
  return fields
}

function parseDisposition(disposition: string): Map<string, string> {
  const { value, found, rest } = matchParameters(disposition, parameter)
  if (!/^form-data\s*$/i.test(value) || /[^\s;]/.test(rest)) {
    const expected = 'form-data; name="…"'
    throw badRequest(`The Content-Disposition of a form part must have the form ${expected}.`)
  }
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, plain = ''] of found)
    addOnce(parameters, name, quoted === undefined ? plain : unescape(quoted))
  return parameters
}

/** The value of a field, what the format matches after it, and the rest that a sticky format does not match. */
export function matchParameters(field: string, format: RegExp) {
  const [value = ''] = field.split(';', 1)
  const text = field.slice(value.length)
  const found = [...text.matchAll(format)]
  const length = found.reduce((sum, [all]) => sum + all.length, 0)
  return { value, found, rest: text.slice(length) }
}

function addOnce(map: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase()
  if (map.has(key)) throw badRequest(`A form part has ${name} twice.`)
  map.set(key, value)
}

/** Browsers escape three characters with percent signs (HTML, multipart/form-data), other clients two with \. */
function unescape(quoted: string): string {
  const escaped = /\\(["\\])|%(22|0d|0a)/gi
  return quoted.replace(escaped, (_, plain?: string, hex = '') =>
    String.fromCharCode(plain === undefined ? parseInt(String(hex), 16) : plain.charCodeAt(0)),
  )
}

/** RFC 8187 §3.2.1 */
function decodeExtended(value: string): string {
  const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? []
  const name = text === undefined ? undefined : decodePath(text)
  if (name !== undefined) return name
  throw badRequest("filename* of a form part must have the form UTF-8''….")
}
