import { findField, type ExchangeBody, type Fields } from './exchange.ts'

interface PrettyBody {
  text: string
  language: 'json' | 'html' | 'text' | 'hex'
  fields?: Fields
}

/** Deep JSON takes 60 times its length when it is indented. */
const maxIndented = 65_536

export function toPrettyBody(body: ExchangeBody | undefined, fields: Fields): PrettyBody {
  const { text, hex = '' } = body ?? {}
  const type = findField(fields, 'content-type') ?? ''
  if (text === undefined) return { text: toHexView(hex), language: 'hex' }
  if (/json/i.test(type) && !/ndjson/i.test(type)) return { text: indent(text), language: 'json' }
  if (/html|xml/i.test(type)) return { text, language: 'html' }
  if (/^application\/x-www-form-urlencoded/i.test(type))
    return { text, language: 'text', fields: [...new URLSearchParams(text)] }
  return { text, language: 'text' }
}

const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s"[\]{},:]+/g

/** Changes white space only: a number can have more digits than JavaScript keeps. */
function indent(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let [indented, depth, previous] = ['', 0, '']
  for (const [token] of text.matchAll(jsonToken)) {
    const isEnd = token === '}' || token === ']'
    const isAfterStart = previous === '{' || previous === '['
    if (isEnd) depth -= 1
    if (isEnd ? !isAfterStart : isAfterStart || previous === ',')
      indented += `\n${'  '.repeat(depth)}`
    indented += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth += 1
    if (indented.length > maxIndented) return text
    previous = token
  }
  return indented
}

/** Eight bytes in a line, which fits a phone, with their position and their ASCII characters. */
function toHexView(hex: string): string {
  const lines = hex.match(/.{1,16}/g) ?? []
  return lines
    .map((line, index) => {
      const pairs = (line.match(/../g) ?? []).join(' ')
      const characters = Buffer.from(line, 'hex')
        .toString('latin1')
        .replaceAll(/[^ -~]/g, '.')
      return `${(index * 8).toString(16).padStart(6, '0')}  ${pairs.padEnd(23)}  ${characters}`
    })
    .join('\n')
}
