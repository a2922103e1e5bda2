import { decodePath, toPath } from '../http/request/target.ts'
import { ownSecrets } from '../http/security/visitor-response.ts'
import { findMasked } from './mask-echo.ts'
import { isSecret, mask, maskField, maskTarget } from './mask.ts'

/**
 * Masks the values of secret fields of forms, JSON and multipart bodies, and those of URLs in other text. Adds
 * them to `found`.
 */
export function maskBody(contentType: string, text: string, found: string[] = []): string {
  return maskOwn(maskFields(contentType, text, found), found)
}

/** The values of its parameters are masked as those of a form. */
export function maskRequestTarget(target: string, found: string[] = []): string {
  const path = toPath(target)
  const query = target.slice(path.length + 1)
  const masked = maskUrls(path, found)
  return maskOwn(path === target ? masked : `${masked}?${maskForm(query, found)}`, found)
}

function maskOwn(text: string, found: string[]): string {
  return text.replace(ownSecrets, (secret) => {
    found.push(secret)
    return mask
  })
}

function maskFields(contentType: string, text: string, found: string[]): string {
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return maskForm(text, found)
  const boundary = findBoundary(contentType, text)
  return boundary === undefined ? maskText(text, found) : maskParts(boundary, text, found)
}

/** The Content-Type of a form can be missing or wrong. */
function findBoundary(contentType: string, text: string): string | undefined {
  const [, named = ''] = /;\s*boundary="?([^";]+)/i.exec(contentType) ?? []
  const boundary = named.trim()
  return boundary && text.includes(`--${boundary}`) ? boundary : firstPart.exec(text)?.[1]
}

const firstPart =
  /(?:^|\n)--([^\r\n]{0,199}[^\s])[ \t]*\r?\n(?:[\w-]+:.*\r?\n){0,9}content-disposition:/i

/** Bodies can be JSON without saying so, and texts in JSON too. */
function maskText(text: string, found: string[]): string {
  return /^\s*[[{"]/.test(text) ? maskJson(text, found) : maskUrls(text, found)
}

function maskUrls(text: string, found: string[]): string {
  // Most texts are short and have none of the characters that a secret needs.
  if (!/[=@%_]/.test(text)) return text
  const masked = maskTarget(text)
  if (masked !== text) found.push(...findMasked(text, masked))
  return masked
}

function maskForm(text: string, found: string[]): string {
  return text
    .split('&')
    .map((field) => {
      const [name = ''] = field.split('=', 1)
      if (name === field) return field
      const plain = decodePath(name.replaceAll('+', ' ')) ?? name
      const value = field.slice(name.length + 1)
      if (!isSecret(plain)) return `${name}=${maskValue(value, found)}`
      found.push(value)
      return `${name}=${mask}`
    })
    .join('&')
}

/** A value can be JSON, as in the webhooks of GitHub and Slack, or a header, as in the URL of a response. */
function maskValue(value: string, found: string[]): string {
  if (!/[=@%_:[{]/.test(value)) return value
  const plain = decodePath(value.replaceAll('+', ' ')) ?? ''
  const masked = /^\s*[[{]/.test(plain) ? maskJson(plain, found) : maskHeader(plain, found)
  if (masked === plain) return maskUrls(value, found)
  return encodeURIComponent(masked).replaceAll(encodeURIComponent(mask), mask)
}

function maskHeader(text: string, found: string[]): string {
  const [, start = '', name = '', value = ''] = /^(([\w-]+): *)(.*)$/s.exec(text) ?? []
  const masked = maskField(name, value)
  if (masked === value) return text
  found.push(...findMasked(value, masked))
  return start + masked
}

/** RFC 7578 §4.2: the name of a field is in Content-Disposition. Parsers differ in which one they use. */
const partNames = /\bname\*?\s*=\s*"?([^";\r\n]*)/gi

function maskParts(boundary: string, text: string, found: string[]): string {
  return text
    .split(`--${boundary}`)
    .map((part) => {
      const [head = '', gap = ''] = /^[^]*?(\r?\n\r?\n)/.exec(part) ?? []
      if (gap === '') return part
      const content = part.slice(head.length)
      const names = head.replace(/\r?\n[ \t]+/g, ' ').matchAll(partNames)
      if (!names.some(([, name = '']) => isSecret(decodePath(name) ?? name)))
        return head + maskPart(head, content, found)
      found.push(content.replace(/\r?\n$/, ''))
      return `${head}${mask}\r\n`
    })
    .join(`--${boundary}`)
}

/** A file is shown as it was sent. */
function maskPart(head: string, content: string, found: string[]): string {
  const [, type = ''] = /^content-type:[ \t]*(.*)/im.exec(head) ?? []
  const isFile = /\bfilename\b/i.test(head) && !/^$|^text\/plain|json|urlencoded/i.test(type)
  return isFile ? content : maskBody(type, content, found)
}

/** Text that ends early has tokens too. */
const jsonToken = /("[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$))(\s*:\s*)?|[[\]{}]+|[^"[\]{}]+/g

const emptyValue = /\{\s*\}|\[\s*\]|""/y

/** By tokens, so that the formatting stays, and so that incomplete and invalid JSON is masked too. */
function maskJson(text: string, found: string[]): string {
  let masked = ''
  let secret: SecretValue | undefined
  for (const { index, 0: token, 1: string, 2: colon } of text.matchAll(jsonToken)) {
    if (secret) {
      if (string === undefined) found.push(...token.split(/[\s,[\]{}]+/))
      else if (colon === undefined) found.push(string.slice(1, -1), toValue(string))
      const rest = skipToken(secret, token)
      masked += rest ?? ''
      if (rest !== undefined) secret = undefined
    } else if (string !== undefined && colon !== undefined) {
      emptyValue.lastIndex = index + token.length
      const isMasked = isSecret(toValue(string)) && !emptyValue.test(text)
      secret = isMasked ? { depth: 0 } : undefined
      masked += secret ? `${token}"${mask}"` : token
    } else masked += string === undefined ? maskUrls(token, found) : maskString(string, found)
  }
  return masked
}

interface SecretValue {
  /** The number of open brackets. */
  depth: number
}

/** Returns the part of the token behind the value, or `undefined` if the value does not end in it. */
function skipToken(value: SecretValue, token: string): string | undefined {
  if (!/^[[\]{}]/.test(token)) {
    if (value.depth > 0) return undefined
    const comma = token.indexOf(',')
    if (token.startsWith('"')) return ''
    return comma === -1 ? undefined : token.slice(comma)
  }
  for (let at = 0; at < token.length; at += 1) {
    const isStart = token[at] === '{' || token[at] === '['
    if (!isStart && value.depth === 0) return token.slice(at)
    value.depth += isStart ? 1 : -1
    if (value.depth === 0) return token.slice(at + 1)
  }
  return undefined
}

function maskString(string: string, found: string[]): string {
  const value = toValue(string)
  const masked = maskText(value, found)
  return masked === value ? string : JSON.stringify(masked)
}

function toValue(string: string): string {
  try {
    return String(JSON.parse(string))
  } catch {
    return string.slice(1)
  }
}
