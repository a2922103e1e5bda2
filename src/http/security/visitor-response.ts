import { isAllowedHost } from './origins.ts'
import { remember } from '../remember.ts'

export type Pair = readonly [name: string, value: string]

interface RedirectLimits {
  origin: string
  allowedRedirectDomains: readonly string[]
}

export interface VisitorLimits extends RedirectLimits {
  cookiePath: string
  ownCookies: readonly string[]
  keepsDomain?: boolean
}

/** A browser would change more than the response. */
const ofBrowsers =
  /^(accept-ch.*|access-control-.*|activate-storage-access|ad-auction-.*|alt-svc|attribution-reporting-.*|clear-site-data|content-security-policy.*|critical-ch|expect-ct|nel|no-vary-search|observe-browsing-topics|origin-agent-cluster|public-key-pins.*|report-to|reporting-endpoints|sec-.*|secure-session-.*|server-timing|service-worker-allowed|set-cookie2|set-login|shared-storage-.*|sourcemap|speculation-rules|strict-transport-security|timing-allow-origin|use-as-dictionary|x-content-type-options|x-permitted-cross-domain-policies|x-sourcemap)$/

/**
 * A proxy or a CDN would send a file of its own, ask another service, include other URLs in the body (ESI), or
 * change what it stores (RFC 9875). The headers of a product have its name as their prefix.
 */
const ofProxies =
  /^((.*-)?cache-(groups?|group-invalidation|key|tags?)|(x-)?(akamai|cf|edge|fastly|fly|lsc|netlify|nginx|surrogate|vercel)-(?!cdn-cache-control$).*|x-(.*-)?(esi|ttl)|x-?key|x-(accel|appengine|archive|ban|cache-control|cascade|envoy|invalidates?|lighttpd|litespeed|magento|middleware|purge|reproxy|sendfile|send-file|varnish)(-.*|\d*))$/

/** The message would have another framing, or the id of another request. */
const ofMessage =
  /^(connection|content-length|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|x-request-id)$/

/** Pages could load it as their own. Firefox before 123 takes cookies from parts of a response (CVE-2024-1551). */
const executable = /(java|ecma|live|j)script|css|wasm|manifest|multipart\/(x-mixed-replace|mixed)/i

/** The response must not run as a page of this origin. Call it with the final list: browsers regard all headers. */
export function toVisitorHeaders(
  pairs: readonly Pair[],
  limits: VisitorLimits,
  policy = 'sandbox',
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  const dropped = new Set<string>()
  for (const [given, value] of pairs) {
    const name = toAllowedName(given)
    const limited = name === '' ? undefined : limitValue(name, toFieldValue(value), limits)
    if (limited === undefined) {
      if (token.test(given)) dropped.add(given.toLowerCase())
      continue
    }
    // Several values have no defined meaning: some clients choose one, and others join them.
    const known = isSingle.test(name) || !Object.hasOwn(headers, name) ? undefined : headers[name]
    headers[name] = known === undefined ? limited : [known, limited].flat()
  }
  if (executable.test(String(headers['content-type']))) headers['content-type'] = 'text/plain'
  if (dropped.size > 0) headers['vitrine-dropped-headers'] = [...dropped].join(', ')
  headers['content-security-policy'] = policy
  headers['x-content-type-options'] = 'nosniff'
  return headers
}

const isSingle = /^(content-type|location|refresh)$/

const token = /^[\w!#$%&'*+.^`|~-]+$/

/** Returns the name of a header in lower case, or an empty text if a visitor cannot set it. */
const toAllowedName = remember((given) => {
  const name = given.toLowerCase()
  // The pattern gets the given name: the lower case of U+212A (Kelvin sign) is k.
  const isAllowed = [ofBrowsers, ofProxies, ofMessage].every((group) => !group.test(name))
  return token.test(given) && isAllowed ? name : ''
})

/** Whether a described response can have this header. */
export const isVisitorHeader = (name: string): boolean => toAllowedName(name) !== ''

const isPlain = (text: string) => /^[!-~]([\t -~]*[!-~])?$/.test(text)

/** Node sends the bytes of UTF-8 if they are given as Latin-1. */
function toFieldValue(text: string): string {
  if (isPlain(text)) return text
  const clean = text.replaceAll(/[^\P{Cc}\t]/gu, ' ').trim()
  return clean.replaceAll(/[\udc80-\udcff]|[^\udc80-\udcff]+/gu, (part) =>
    /[\udc80-\udcff]/u.test(part)
      ? String.fromCharCode(part.charCodeAt(0) - escapeStart)
      : Buffer.from(part).toString('latin1'),
  )
}

const escapeStart = 0xdc00

/** The text of bytes. As in PEP 383, one that is not ASCII is a lone surrogate, which no UTF-8 has. */
export function escapeBytes(bytes: Buffer): string {
  const toEscape = (byte: string) => String.fromCharCode(byte.charCodeAt(0) + escapeStart)
  return bytes.toString('latin1').replaceAll(/[\u0080-\u00ff]/g, toEscape)
}

function limitValue(name: string, value: string, limits: VisitorLimits): string | undefined {
  if (name === 'set-cookie') return limitCookie(value, limits)
  if (name === 'location') return isRedirectAllowed(value, limits) ? value : undefined
  if (name !== 'refresh') return value
  const [, given] = /^[\d.]+(?:\s*[;,]|\s|$)\s*(?:url\s*=\s*)?(.*)$/i.exec(value) ?? []
  if (given === undefined) return undefined
  // A quotation mark ends the URL if it starts with one: the next mark in HTML ("shared declarative
  // refresh steps"), the last mark in Chromium.
  const [, , url = given, rest = ''] = /^(["'])(.*?)(?:\1(.*))?$/.exec(given) ?? []
  return rest === '' && isRedirectAllowed(url, limits) ? value : undefined
}

const isPath = (attribute: string) => /^\s*path\s*(=|$)/i.test(attribute)

/** A cookie for a parent domain, or without a name, could replace one of ours. */
function limitCookie(value: string, { cookiePath, ownCookies: own, keepsDomain }: VisitorLimits) {
  const [pair = '', ...attributes] = value.split(';')
  const name = /^[^=]*(?==)/.exec(pair)?.[0].trim().toLowerCase() ?? ''
  if (name === '' || own.some((other) => other.toLowerCase() === name)) return undefined
  const isDomain = (attribute: string) => /^\s*domain\s*(=|$)/i.test(attribute)
  const kept = attributes.filter((attribute) => keepsDomain || !isDomain(attribute))
  if (cookiePath === '/') return [pair, ...kept].join(';')
  const others = kept.filter((attribute) => !isPath(attribute))
  const index = kept.findIndex(isPath)
  // RFC 6265 §5.3: of several, the last one counts.
  const [, given = ''] = /^\s*path\s*=\s*(.*?)\s*$/i.exec(kept.findLast(isPath) ?? '') ?? []
  const path = given.startsWith(`${cookiePath}/`) ? given : cookiePath
  others.splice(index === -1 ? others.length : index, 0, ` Path=${path}`)
  return [pair, ...others].join(';')
}

/** The URL is resolved as in a browser: `//host`, `/\host` and `http:host` lead to other hosts too. */
export function isRedirectAllowed(
  location: string,
  { origin, allowedRedirectDomains: allowed }: RedirectLimits,
): boolean {
  if (allowed.includes('*')) return true
  // Not only browsers follow redirects: others take `http://a\@b` to b.
  if (location.includes('\\')) return false
  const host = URL.parse(origin)?.host ?? ''
  // A proxy may have ended TLS: `http:a` is a path over HTTP, and a host over HTTPS.
  return ['http', 'https'].every((scheme) => {
    const url = URL.parse(location, `${scheme}://${host}`)
    if (url === null || !/^https?:$/.test(url.protocol)) return false
    return url.host === host || isAllowedHost(url.host, allowed)
  })
}
