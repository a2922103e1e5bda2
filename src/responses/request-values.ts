import { parseCookie } from 'cookie'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import { hasBody, isForm, isJsonType, toMediaType } from '../http/body/body-reader.ts'
import { decodeBytes, findCodings } from '../http/body/decode-content.ts'
import { parseJson } from '../http/body/parse-json.ts'
import { readArrived } from '../http/body/read-bytes.ts'
import { utf8ToText } from '../http/body/utf8-to-text.ts'
import { catchHttpError } from '../http/request/request-head.ts'
import { parseForm, parseParameters } from '../http/request/parameters.ts'
import { toQueryText } from '../http/request/target.ts'
import { hideSecrets, ownCookies, withoutCookies } from '../http/security/own-secrets.ts'

type Named = Readonly<Record<string, unknown>>

/** What conditions and templates can name. No object has a prototype, and none has our own cookies and secrets. */
export interface RequestValues extends Named {
  method: string
  /** The groups of the path. `wholePath` is the path as sent. */
  path: Named
  wholePath: string
  query: Named
  header: Named
  cookie: Named
  json: unknown
  form: Named
  body: string
}

interface ValueSource {
  raw: IncomingMessage
  /** Without the query string, as sent. */
  path: string
  groups?: Named
  /** The decoded body, if it was read. */
  bytes?: Buffer | undefined
}

type Limits = Pick<Config, 'maxBodyBytes' | 'maxJsonDepth' | 'maxParameters'>

export function toRequestValues({ raw, path, groups, bytes }: ValueSource, config: Config) {
  const { receivedMethod, method = '' } = raw
  const query = once(() => parseQuery(raw, config))
  const header = once(() => toHeaders(raw))
  const cookie = once(() => toNamed(parseCookie(header().cookie ?? '')))
  const body = once(() => hideSecrets(utf8ToText(bytes ?? Buffer.alloc(0))))
  const form = once(() => (isForm(raw) ? (attempt(() => parseForm(body(), config)) ?? {}) : {}))
  const json = once(() => {
    const isJson = isJsonType(toMediaType(raw.headers['content-type']))
    return isJson && body() !== '' ? attempt(() => parseJson(body(), config)) : undefined
  })
  const values = {
    method: receivedMethod ?? method,
    path: toNamed(groups ?? {}),
    wholePath: hideSecrets(path),
    get query() {
      return query()
    },
    get header() {
      return header()
    },
    get cookie() {
      return cookie()
    },
    get json() {
      return json()
    },
    get form() {
      return form()
    },
    get body() {
      return body()
    },
  }
  return Object.setPrototypeOf(values, null) as RequestValues
}

/** Conditions and templates name the last message of a WebSocket as they name a body. */
export function toMessageValues(message: Buffer, config: Limits) {
  const body = hideSecrets(utf8ToText(message))
  const json = once(() => attempt(() => parseJson(body, config)))
  return {
    body,
    get json() {
      return json()
    },
  }
}

export function once<Result>(compute: () => Result): () => Result {
  let known: { result: Result } | undefined
  return () => (known ??= { result: compute() }).result
}

const toNamed = (values: object): Named => ({ ...values, __proto__: null })

/** Undefined for text that its route would reject: then no condition holds. */
function attempt<Result>(parse: () => Result): Result | undefined {
  let result: Result | undefined
  catchHttpError(() => {
    result = parse()
  })
  return result
}

function parseQuery({ target, url = '' }: IncomingMessage, config: Limits): Named {
  const text = hideSecrets(toQueryText(target?.url ?? url).slice(1))
  return (text === '' ? undefined : attempt(() => parseParameters(text, config))) ?? {}
}

const keyHeaders = ['x-inspector', 'x-sandbox']

function toHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).flatMap(([name, value = '']) =>
    keyHeaders.includes(name) || name.startsWith(':')
      ? []
      : [[name, hideSecrets([value].flat().join(', '))] as const],
  )
  return { ...Object.fromEntries(withoutCookies(pairs, ownCookies)), __proto__: null as never }
}

/** Reads the body before it is known who needs it: other readers then get the same bytes. Throws as they do. */
export async function readEarly(raw: IncomingMessage, config: Config): Promise<Buffer | undefined> {
  if (!hasBody(raw)) return undefined
  raw.bodyBytes ??= await readArrived(raw, config)
  return decodeBody(raw, raw.bodyBytes, config)
}

/** Undefined for a body that cannot be decoded. */
export async function decodeBody(raw: IncomingMessage, bytes: Buffer, { maxBodyBytes }: Limits) {
  const codings = attempt(() => findCodings(raw))
  if (codings?.length === 0) return bytes
  return codings && decodeBytes(bytes, codings, maxBodyBytes).catch(() => undefined)
}

/**
 * At each dot the longest existing name wins: `query.hub.challenge` is the member `hub.challenge` of the query.
 * A list also has the names `first`, `last` and `size`.
 */
export function findValue(values: Named, [name = '', ...parts]: readonly string[]): unknown {
  if (name === 'path' && parts.length === 0) return values.wholePath
  if (name !== 'header') return findLongest(values[name], parts)
  return findLongest(values.header, [parts.join('.').toLowerCase()])
}

export function findLongest(value: unknown, parts: readonly string[]): unknown {
  let found = value
  for (let start = 0; start < parts.length;) {
    if (typeof found === 'string' && parts[start] === 'size') return found.length
    if (typeof found !== 'object' || found === null) return undefined
    const owner = found
    const ends = Array.from({ length: parts.length - start }, (_, index) => parts.length - index)
    const end = ends.find((end) => Object.hasOwn(owner, parts.slice(start, end).join('.')))
    const name = parts.slice(start, end ?? start + 1).join('.')
    const member: unknown = end === undefined ? findOfList(owner, name) : Reflect.get(owner, name)
    found = isComputed(member) ? member() : member
    start = end ?? start + 1
  }
  return found
}

/** No JSON has a function. */
const isComputed = (member: unknown): member is () => unknown => typeof member === 'function'

function findOfList(owner: object, name: string): unknown {
  if (name === 'size') return Object.keys(owner).length
  if (!Array.isArray(owner)) return undefined
  return name === 'first' ? owner[0] : name === 'last' ? owner.at(-1) : undefined
}
