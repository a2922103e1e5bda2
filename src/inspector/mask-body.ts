import { decodePath } from '../http/request/target.ts'
import { isSecret, mask, maskTarget } from './mask.ts'

/** Masks the values of secret fields of forms, JSON and multipart bodies, and those of URLs in other text. */
export function maskBody(contentType: string, text: string): string {
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return maskForm(text)
  const [, boundary] = firstPart.exec(text) ?? []
  return boundary === undefined ? maskText(text) : maskParts(boundary, text)
}

/** Of a form: its Content-Type can be missing or wrong. */
const firstPart =
  /(?:^|\n)--([^\r\n]{0,199}[^\s])[ \t]*\r?\n(?:content-[a-z-]+:.*\r?\n){0,9}content-disposition:/i

/** Bodies can be JSON without saying so, and texts in JSON too. */
function maskText(text: string): string {
  return /^\s*[[{"]/.test(text) ? maskJson(text) : maskTarget(text)
}

function maskForm(text: string): string {
  return text
    .split('&')
    .map((field) => {
      const [name = ''] = field.split('=', 1)
      if (name === field) return field
      const plain = decodePath(name.replaceAll('+', ' ')) ?? name
      const value = field.slice(name.length + 1)
      return `${name}=${isSecret(plain) ? mask : maskValue(value)}`
    })
    .join('&')
}

/** A value can be JSON, as in the webhooks of GitHub and Slack. */
function maskValue(value: string): string {
  const plain = decodePath(value.replaceAll('+', ' ')) ?? ''
  const masked = /^\s*[[{]/.test(plain) ? maskJson(plain) : plain
  if (masked === plain) return maskTarget(value)
  return encodeURIComponent(masked).replaceAll(encodeURIComponent(mask), mask)
}

/** RFC 7578 §4.2: the name of a field is in Content-Disposition. */
const partName = /^content-disposition:.*?\bname="?([^";\r\n]*)/im

function maskParts(boundary: string, text: string): string {
  return text
    .split(`--${boundary}`)
    .map((part) => {
      const [head = '', gap = ''] = /^[^]*?(\r?\n\r?\n)/.exec(part) ?? []
      const [, name = ''] = partName.exec(head) ?? []
      if (gap === '') return part
      const [, type = ''] = /^content-type:[ \t]*(.*)/im.exec(head) ?? []
      const content = part.slice(head.length)
      return head + (isSecret(name) ? `${mask}\r\n` : maskPart(type, content))
    })
    .join(`--${boundary}`)
}

/** A file is shown as it was sent. */
function maskPart(type: string, content: string): string {
  return /^$|^text\/plain|json|urlencoded/i.test(type) ? maskBody(type, content) : content
}

/** Text that ends early has tokens too. */
const jsonToken = /("[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$))(\s*:\s*)?|[[\]{}]|[^"[\]{}]+/g

/** By tokens, so that the formatting stays, and so that incomplete and invalid JSON is masked too. */
function maskJson(text: string): string {
  let masked = ''
  let secret: SecretValue | undefined
  for (const [token, string, colon] of text.matchAll(jsonToken)) {
    if (secret) {
      const rest = skipToken(secret, token)
      masked += rest ?? ''
      if (rest !== undefined) secret = undefined
    } else if (string !== undefined && colon !== undefined) {
      secret = isSecret(toValue(string)) ? { depth: 0 } : undefined
      masked += secret ? `${token}"${mask}"` : token
    } else masked += string === undefined ? maskTarget(token) : maskString(string)
  }
  return masked
}

interface SecretValue {
  /** The number of open brackets. */
  depth: number
}

/** At the end of the value, what of the token is behind it. */
function skipToken(value: SecretValue, token: string): string | undefined {
  if (token === '{' || token === '[') value.depth += 1
  else if (token === '}' || token === ']') {
    if (value.depth === 0) return token
    value.depth -= 1
    if (value.depth === 0) return ''
  } else if (value.depth === 0) {
    const comma = token.indexOf(',')
    if (token.startsWith('"')) return ''
    if (comma !== -1) return token.slice(comma)
  }
  return undefined
}

function maskString(string: string): string {
  const value = toValue(string)
  const masked = maskText(value)
  return masked === value ? string : JSON.stringify(masked)
}

function toValue(string: string): string {
  try {
    return String(JSON.parse(string))
  } catch {
    return string.slice(1)
  }
}
