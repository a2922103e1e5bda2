import { isUtf8 } from 'node:buffer'
import { formatNumber } from '../../config/format-count.ts'
import { maxBoundaryLength, maxFormParts } from '../../config/limits.ts'
import { readFields, readParameters } from './part-head.ts'
import { contentTooLarge } from '../errors/http-error.ts'
import { decodePercent, utf8ToText } from './utf8-to-text.ts'

export interface ParsedPart {
  name: string
  fileName: string | undefined
  type: string | undefined
  bytes: Buffer
}

const anyBreak = '(?:\r\n|\n|\r)'

/** Reads the parts as httpbin does in Python, or as go-httpbin does in Go. Returns undefined for a malformed body. */
export function parseParts(
  body: Buffer,
  contentType: string,
  isPython = true,
): ParsedPart[] | undefined {
  const boundary = parseParameters(contentType, isPython)?.get('boundary') ?? ''
  if (boundary === '' || boundary.length > maxBoundaryLength) return undefined
  const text = body.toString('latin1')
  const delimiter = `--${RegExp.escape(boundary)}`
  const isUnix = new RegExp(`^${delimiter}[ \t]*(?=\r?\n)`, 'm').exec(text)
  // In Go, the end of the first line is that of all lines.
  const goBreak = isUnix && text[isUnix.index + isUnix[0].length] === '\n' ? '\n' : '\r\n'
  const end = isPython ? anyBreak : goBreak
  // In Python, anything may follow the last.
  const tail = isPython ? `(?:(--)|[ \t]*(?=${end}))` : `(--)?[ \t]*(?=${end}|$)`
  const lines = new RegExp(`(?:^|${end})${delimiter}${tail}`, 'g')
  const parts: ParsedPart[] = []
  let count = 0
  let start = -1
  for (const match of text.matchAll(lines)) {
    const part = start === -1 ? [] : toPart(body.subarray(start), match.index - start, isPython)
    if (!part) return undefined
    parts.push(...part)
    if (match[1] !== undefined) return parts
    count += 1
    if (count > maxFormParts)
      throw contentTooLarge(`The form has more than ${formatNumber(maxFormParts)} parts.`)
    start = match.index + match[0].length
  }
  return undefined
}

function toPart(text: Buffer, end: number, isPython: boolean): ParsedPart[] | undefined {
  const [first = ''] = new RegExp(anyBreak).exec(text.toString('latin1', 0, 2)) ?? []
  const blankLine = /(\r\n|\n|\r)\1/g
  // In Go, the head can be empty.
  blankLine.lastIndex = isPython ? first.length : 0
  const blank = blankLine.exec(text.toString('latin1', 0, end + 2))
  if (!blank || blank.index > end) return undefined
  const fields = parseFields(text.subarray(first.length, blank.index), isPython)
  const disposition = fields?.get('content-disposition')
  if (!fields || (isPython && disposition === undefined)) return undefined
  const parameters = parseParameters(disposition ?? '', isPython)
  // A name that is None in Python becomes null in JSON.
  const name = parameters?.get('name') ?? (isPython ? 'null' : '')
  const fileName = parameters?.get('filename')
  const bytes = text.subarray(Math.min(blank.index + blank[0].length, end), end)
  const isForm = isPython || /^\s*form-data\s*(;|$)/i.test(disposition ?? '')
  return isForm ? [{ name, fileName, type: fields.get('content-type') || undefined, bytes }] : []
}

/** Returns the first field of each name, in lower case. Undefined if Python or Go rejects the head. */
function parseFields(head: Buffer, isPython: boolean): Map<string, string> | undefined {
  if (isPython && !isUtf8(head)) return undefined
  const unfolded = utf8ToText(head).replaceAll(/(?:\r\n|\n|\r)[ \t]+/g, ' ')
  const lines = unfolded.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '')
  const fields = readFields(lines, isPython ? /^([^:]*):?(.*)$/s : /^(?![ \t])([^:]*):(.*)$/s)
  const toName = (name: string) => (isPython ? name.trim() : name).toLowerCase()
  return fields && new Map(fields.toReversed().map(([name, value]) => [toName(name), value]))
}

const token = "[\\w!#$%&'*+.^`|~-]+"
const quotedText = String.raw`"((?:[^"\\]|\\.)*)"`
const inPython = new RegExp(String.raw`;[ \t]*(?:(${token})=(?:${quotedText}|(${token})))?`, 'gs')
const escapedInGo = /\\([()<>@,;:\\"/[\]?=])/g
const inGo = new RegExp(String.raw`;\s*(${token})\s*=\s*(?:${quotedText}|(${token}))\s*`, 'gys')

/** Both read RFC 2231. Python leaves out what is malformed; in Go it makes the whole field invalid. */
function parseParameters(field: string, isPython: boolean): Map<string, string> | undefined {
  const unescape = (text: string) => text.replaceAll(isPython ? /\\(.)/gs : escapedInGo, '$1')
  const { found, rest } = readParameters(field, isPython ? inPython : inGo, unescape)
  const names = new Set(found.map(([name]) => name.toLowerCase()))
  if (!isPython && (names.size < found.length || !/^;?\s*$/.test(rest))) return undefined
  const parameters = new Map<string, string>()
  for (const [given, text] of found) {
    const [, name = '', part = '*0', isEncoded] = /^([^*]+)(\*\d+)?(\*)?$/.exec(given) ?? []
    const known = part === '*0' ? '' : (parameters.get(name.toLowerCase()) ?? '')
    const shown = isPython ? text.replaceAll('%22', '"') : text
    parameters.set(name.toLowerCase(), known + (isEncoded ? decodeExtended(text) : shown))
  }
  return parameters
}

const decodeExtended = (text: string) =>
  utf8ToText(decodePercent(text.replace(/^[^']*'[^']*'/, '')))
