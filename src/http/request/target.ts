import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { isObject } from '../../config/is-object.ts'
import type { Config } from '../../config/config.ts'
import type { DeclaredRoute } from '../openapi/route.ts'
import { parseParameters, takeFormHeaders } from './parameters.ts'
import { remember } from '../remember.ts'
import { createRewriter } from './rewrites.ts'
import { takeSandbox } from './sandbox-key.ts'

declare module 'node:http' {
  interface IncomingMessage {
    originalUrl?: string
    /** `url` is in origin form, as sent. */
    target?: { url: string; isRaw: boolean; getQuery: () => ParsedQuery }
    receivedMethod?: string
    unknownMethod?: string
    ownId?: string
  }
}

type ParsedQuery = ReturnType<typeof parseQuery>

function parseQuery(url: string, config: Config) {
  const start = url.indexOf('?') + 1
  if (start === 0) return { parameters: {}, formHeaders: {} }
  const parameters = parseParameters(url.slice(start), config)
  return { parameters, formHeaders: takeFormHeaders(parameters, config) }
}

export interface Segment {
  name: string
  ignoresCase: boolean
}

export function createTargetParser(
  config: Config,
  routes: readonly DeclaredRoute[],
  segments: readonly Segment[],
) {
  const rewrite = createRewriter(config.rewrites)
  const spell = createSpeller(segments)
  let rawPaths: ReadonlySet<string> | undefined
  const parsePath = remember((path) => {
    const spelt = spell(path)
    rawPaths ??= findRawPaths(routes)
    const { first, both } = toStart(toDecodedPath(spelt))
    const isRaw = rawPaths.has(first) || rawPaths.has(both)
    return { spelt, isRaw, routed: isRaw ? escapeInvalidPath(spelt) : trimSlashes(spelt) }
  })
  return (raw: IncomingMessage): string => {
    const target = rewrite(takeSandbox(raw, toOriginForm(raw), config))
    const path = toPath(target)
    const { spelt, isRaw, routed } = parsePath(path)
    const withQuery = (start: string) => start + target.slice(path.length)
    const url = withQuery(spelt)
    let query: ParsedQuery | undefined
    raw.target = { url, isRaw, getQuery: () => (query ??= parseQuery(isRaw ? '' : url, config)) }
    if (isRaw && !routableMethods.includes(raw.method ?? '')) setMethod(raw, 'POST')
    return withQuery(routed)
  }
}

export function findRawPaths(routes: readonly DeclaredRoute[]): ReadonlySet<string> {
  const starts = routes.map(({ url, config }) => ({
    ...toStart(url),
    isRaw: config?.isRaw === true,
  }))
  const others = new Set(starts.filter(({ isRaw }) => !isRaw).map(({ first }) => first))
  const raw = starts.filter(({ isRaw }) => isRaw)
  return new Set(raw.map(({ first, both }) => (others.has(first) ? both : first)))
}

/** `/a/b/c` → `/a` and `/a/b` */
function toStart(path: string) {
  const [, first = '', second = ''] = path.split('/', 3)
  return { first: `/${first}`, both: `/${first}/${second}` }
}

/** Spells the first segment of a path as it is routed: find-my-way does not decode reserved characters. */
function createSpeller(segments: readonly Segment[]) {
  const known = new Map(segments.map(({ name }) => [name, name]))
  const lenient = segments.filter(({ ignoresCase }) => ignoresCase).toReversed()
  const ignoringCase = new Map(lenient.map(({ name }) => [name.toLowerCase(), name]))
  const find = (name: string) => known.get(name) ?? ignoringCase.get(name.toLowerCase())
  return (url: string): string => {
    if (segments.length === 0) return url
    const [start = '', segment = ''] = /^\/([^/?]*)/.exec(url) ?? []
    const name = decodePath(segment) ?? segment
    const [suffix = ''] = find(name) === undefined ? (/\.\w+$/.exec(name) ?? []) : []
    const spelt = find(name.slice(0, name.length - suffix.length))
    return spelt === undefined ? url : `/${encodeURI(spelt)}${suffix}${url.slice(start.length)}`
  }
}

export function setMethod(raw: IncomingMessage, method: string): void {
  if (method === raw.method) return
  raw.receivedMethod = raw.method ?? ''
  raw.method = method
}

// Fastify requires a Content-Type of a QUERY.
const routableMethods = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE'.split(' ')

/** A request line of HTTP/1.1 may claim 2.0. */
export function isHttp2(raw: IncomingMessage): boolean {
  return raw.httpVersionMajor === 2 && 'stream' in raw
}

/** Only the requests and responses of HTTP/2 have it. Their classes are not imported: most starts need no TLS. */
export function findStream(message: { stream?: ServerHttp2Stream } | object) {
  return 'stream' in message ? message.stream : undefined
}

/** A link to a path of the service, below the path that names the sandbox of the request. */
export const toLink = ({ basePath = '' }: IncomingMessage, path: string): string => basePath + path

export const isRawRequest = ({ target }: IncomingMessage): boolean => target?.isRaw === true

export const toRoutedUrl = (raw: IncomingMessage): string => trimSlashes(toOriginForm(raw))

/** The authority of an absolute form becomes Host (RFC 9112 §3.2.2); other forms fail later checks. */
function toOriginForm(raw: IncomingMessage): string {
  const { url = '/', headers, socket } = raw
  if (url.startsWith('/') || isHttp2(raw)) return url
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
  const [origin = '', authority] = /^https?:\/\/([^/?#@]+)(?=[/?]|$)/i.exec(url) ?? []
  if (!origin.toLowerCase().startsWith(`${scheme}://`)) return url
  headers.host = authority
  return url.slice(origin.length).replace(/^\/?/, '/')
}

function trimSlashes(url: string): string {
  const { length } = toPath(url)
  let end = length
  while (end > 1 && url[end - 1] === '/') end -= 1
  return end === length ? url : url.slice(0, end) + url.slice(length)
}

const escapeInvalidPath = (path: string) =>
  decodePath(path) === undefined ? path.replaceAll('%', '%25') : path

export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Invalid escapes stay as they are, and bytes that are not UTF-8 become U+FFFD. */
export function decodeLoosely(text: string): string {
  const bytes = Buffer.from(text).toString('latin1')
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- others are slow with a wrong escape
  return Buffer.from(unescape(bytes), 'latin1').toString()
}

export function toPath(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/** It begins with a question mark, which `URLSearchParams` ignores. */
export const toQueryText = (target: string): string => target.slice(toPath(target).length)

export function isUnder(prefix: string, url: string): boolean {
  const path = toDecodedPath(url)
  return prefix === '/' || path === prefix || path.startsWith(`${prefix}/`)
}

function toDecodedPath(url: string): string {
  const path = toPath(url)
  return path.includes('%') ? (decodePath(path) ?? path) : path
}

export function toPathParameter({ params }: FastifyRequest, name: string): string {
  const value = isObject(params) ? params[name] : undefined
  return typeof value === 'string' ? value : ''
}
