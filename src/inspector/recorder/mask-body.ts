import { maxMaskDepth, maxSearchLength } from '../../config/limits.ts'
import { decodeLoosely, toPath } from '../../http/request/target.ts'
import { hideSecrets } from '../../http/security/own-secrets.ts'
import { findMasked } from './mask-echo.ts'
import { mask } from '../../exchanges/exchange.ts'
import { isSecret, maskField, maskTarget } from './mask.ts'

interface Scope {
  found: string[]
  depth: number
}

export function maskBody(contentType: string, text: string, found: string[] = []): string {
  const scope = { found, depth: 0 }
  return maskOwn(maskFields(contentType, text, scope), scope)
}

export function maskRequestTarget(target: string, found: string[] = []): string {
  const scope = { found, depth: 0 }
  const path = toPath(target)
  const query = target.slice(path.length + 1)
  const masked = maskUrls(path, scope)
  return maskOwn(path === target ? masked : `${masked}?${maskForm(query, scope)}`, scope)
}

function maskOwn(text: string, scope: Scope): string {
  return hideSecrets(text, (secret) => hide(secret, scope))
}

function hide(secret: string, { found }: Scope): string {
  found.push(secret)
  return mask
}

function maskFields(contentType: string, text: string, scope: Scope): string {
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return maskForm(text, scope)
  const boundary = findBoundary(contentType, text)
  return boundary === undefined ? maskText(text, scope) : maskParts(boundary, text, scope)
}

/** The Content-Type of a form can be missing or wrong. */
function findBoundary(contentType: string, text: string): string | undefined {
  const [, named = ''] = /;\s*boundary="?([^";]+)/i.exec(contentType) ?? []
  // RFC 2046 §5.1.1 allows 70 characters. The time to look for a long one is not linear.
  const boundary = named.trim().slice(0, maxSearchLength)
  return boundary && text.includes(`--${boundary}`) ? boundary : firstPart.exec(text)?.[1]
}

const firstPart =
  /(?:^|\n)--([^\r\n]{0,199}[^\s])[ \t]*\r?\n(?:[\w-]+:.*\r?\n){0,9}content-disposition:/i

/** Bodies can be JSON without saying so, texts in JSON too, and other text can contain JSON. */
function maskText(text: string, scope: Scope): string {
  if (/^\s*[[{"]/.test(text)) return maskJson(text, scope)
  const masked = maskUrls(text, scope)
  return /"\s*:/.test(masked) ? maskJson(masked, scope) : masked
}

function maskUrls(text: string, { found }: Scope): string {
  // Most texts are short and have none of the characters that a secret needs.
  if (!/[=@%_]/.test(text)) return text
  const masked = maskTarget(text)
  if (masked !== text) found.push(...findMasked(text, masked))
  return masked
}

function maskForm(text: string, scope: Scope): string {
  return text
    .split('&')
    .map((field) => {
      const [name = ''] = field.split('=', 1)
      if (name === field) return field
      const value = field.slice(name.length + 1)
      return `${name}=${isSecret(name) ? hide(value, scope) : maskValue(value, scope)}`
    })
    .join('&')
}

/** A value can be JSON, as in the webhooks of GitHub and Slack, or a header, as in the URL of a response. */
function maskValue(value: string, scope: Scope): string {
  if (!/[=@%_:[{]/.test(value)) return value
  const plain = decodeLoosely(value.replaceAll('+', ' '))
  const isJson = /^\s*[[{"]/.test(plain)
  const masked = isJson ? maskJson(plain, scope) : maskHeader(plain, scope)
  if (masked === plain) return isJson ? value : maskUrls(value, scope)
  return encodeURIComponent(masked).replaceAll(encodeURIComponent(mask), mask)
}

function maskHeader(text: string, { found }: Scope): string {
  const [, start = '', name = '', value = ''] = /^(([\w-]+): *)(.*)$/s.exec(text) ?? []
  const masked = maskField(name, value)
  if (masked === value) return text
  found.push(...findMasked(value, masked))
  return start + masked
}

/** RFC 7578 §4.2: the name of a field is in Content-Disposition. Parsers differ in which one they use. */
const partNames = /\bname\*?\s*=\s*"?([^";\r\n]*)/gi

function maskParts(boundary: string, text: string, scope: Scope): string {
  if (scope.depth === maxMaskDepth) return hide(text, scope)
  return text
    .split(`--${boundary}`)
    .map((part) => {
      const [head = '', gap = ''] = /^[^]*?(\r?\n\r?\n)/.exec(part) ?? []
      if (gap === '') return part
      const content = part.slice(head.length)
      const names = head.replace(/\r?\n[ \t]+/g, ' ').matchAll(partNames)
      if (!names.some(([, name = '']) => isSecret(name)))
        return head + maskPart(head, content, toInner(scope))
      return `${head}${hide(content.replace(/\r?\n$/, ''), scope)}\r\n`
    })
    .join(`--${boundary}`)
}

const toInner = ({ found, depth }: Scope): Scope => ({ found, depth: depth + 1 })

/** A file is shown as it was sent. */
function maskPart(head: string, content: string, scope: Scope): string {
  const [, type = ''] = /^content-type:[ \t]*(.*)/im.exec(head) ?? []
  const isFile = /\bfilename\b/i.test(head) && !/^$|^text\/plain|json|urlencoded/i.test(type)
  return isFile ? content : maskFields(type, content, scope)
}

/** Text that ends early has tokens too. */
const jsonToken = /("[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$))(\s*:\s*)?|[[\]{},]|[^"[\]{},]+/g

const emptyValue = /\{\s*\}|\[\s*\]|""/y

const depthChanges: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/** Works on tokens, so that the formatting stays, and so that incomplete and invalid JSON is masked too. */
function maskJson(text: string, scope: Scope): string {
  if (scope.depth === maxMaskDepth) return hide(text, scope)
  const inner = toInner(scope)
  let masked = ''
  let depth: number | undefined
  for (const { index, 0: token, 1: string, 2: colon } of text.matchAll(jsonToken)) {
    const change = depthChanges[token] ?? 0
    if (depth === 0 && (token === ',' || change === -1)) depth = undefined
    if (depth !== undefined) {
      if (string === undefined) scope.found.push(...token.split(/\s+/))
      else if (colon === undefined) scope.found.push(string.slice(1, -1), toValue(string))
      depth += change
      if (depth === 0 && (string !== undefined || change === -1)) depth = undefined
    } else if (string !== undefined && colon !== undefined) {
      emptyValue.lastIndex = index + token.length
      if (isSecret(toValue(string)) && !emptyValue.test(text)) depth = 0
      masked += maskString(string, inner) + colon + (depth === 0 ? `"${mask}"` : '')
    } else masked += string === undefined ? maskUrls(token, scope) : maskString(string, inner)
  }
  return masked
}

function maskString(string: string, scope: Scope): string {
  const value = toValue(string)
  const masked = maskText(value, scope)
  if (masked === value) return string
  // A response can have it with the same escapes.
  if (/\\u00[2-7]/i.test(string)) hide(string.slice(1, -1), scope)
  return JSON.stringify(masked)
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** JSON.parse takes microseconds for each string that is not valid, and a body can have thousands. */
function toValue(string: string): string {
  return string
    .slice(1)
    .replace(/(\\(?:u([\da-f]{4})|[^]))|"$/gi, (_, escape?: string, hex?: string) => {
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
      return escape === undefined ? '' : (escapes[escape.slice(1)] ?? escape.slice(1))
    })
}
