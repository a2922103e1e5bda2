import { parseCookie } from 'cookie'
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { badRequest, type HttpError } from '../errors/http-error.ts'
import { registerCookie, registerSecret } from '../security/own-secrets.ts'

/** The sandbox that a request names. The key itself is in no record. */
export interface NamedSandbox {
  id: string
  isReadOnly: boolean
  /** Set if a cookie named it: a browser sends it with the requests of other sites too. */
  isOfCookie?: boolean
  /** They join the sandbox, and do not contain its key. The sandbox of an address has none. */
  tokens?: { read: string; write?: string }
}

declare module 'node:http' {
  interface IncomingMessage {
    /** `/s/KEY`, which the path began with; links of the response begin with it. */
    basePath?: string
    sandbox?: NamedSandbox | undefined
    sandboxError?: HttpError
  }
}

export const sandboxHeader = 'x-sandbox'
export const sandboxCookies = registerCookie('sandbox')

const keyFormat = /^[A-Za-z0-9_-]{16,64}$/
export const isSandboxKey = (text: string): boolean => keyFormat.test(text)
/** A cookie has a key, or a token: no key has a dot. */
const tokenFormat = /^[rw]\.[A-Za-z0-9_-]{43}$/
const tokenStart = { read: 'r.', write: 'w.' }

registerSecret(/(?<=\/s\/)(?!join(?:[/?#]|$))[\w-]{16,64}(?![\w-])/g, 16, '******')
registerSecret(/(?<![\w-])[rw]\.[\w-]{43}(?![\w-])/g, 45, '******')

const derive = (kind: string, secret: string) => hash('sha256', `${kind} ${secret}`, 'base64url')

/**
 * Each hash is made of the one before: the key of the token to write, this of the token to read, and this of the id.
 * So nothing has to be stored to share a sandbox, and no token leads back.
 */
export function openKey(key: string): NamedSandbox {
  return openWriteToken(derive('write', key))
}

function openWriteToken(write: string): NamedSandbox {
  const { tokens, id } = openReadToken(derive('read', write))
  return { id, isReadOnly: false, tokens: { ...tokens, write: tokenStart.write + write } }
}

function openReadToken(read: string) {
  return { id: derive('sandbox', read), isReadOnly: true, tokens: { read: tokenStart.read + read } }
}

export function openToken(token: string): NamedSandbox | undefined {
  if (!tokenFormat.test(token)) return undefined
  const secret = token.slice(2)
  return token.startsWith(tokenStart.read) ? openReadToken(secret) : openWriteToken(secret)
}

/** `/s/join/…` is a path of the service. */
const baseFormat = /^\/s\/(?!join(?:[/?]|$))([^/?]+)(?=[/?]|$)/

/** Takes the key out of the path, and finds the sandbox: the path counts before the header, and this before a cookie. */
export function takeSandbox(raw: IncomingMessage, target: string, config: Config): string {
  const [basePath, inPath] = baseFormat.exec(target) ?? []
  const isOff = config.sandboxes === 'off'
  const inHeader = raw.headers[sandboxHeader]
  if (isOff && inHeader === undefined) return target
  const key = isOff ? String(inHeader) : (inPath ?? inHeader?.toString())
  if (key === undefined) raw.sandbox = findOfCookie(raw, config)
  else if (isOff) raw.sandboxError = badRequest('There are no sandboxes here (SANDBOXES=off).')
  else if (keyFormat.test(key)) raw.sandbox = openKey(key)
  else raw.sandboxError = badRequest(wrongKey)
  if (isOff || basePath === undefined) return target
  raw.basePath = basePath
  return target.slice(basePath.length).replace(/^(?!\/)/, '/')
}

export const wrongKey =
  'The key of a sandbox must have 16 to 64 characters: letters, digits, hyphens and underscores.'

/** Over HTTPS, a page of another service of the domain could set a cookie without the prefix. */
function findOfCookie(raw: IncomingMessage, config: Config): NamedSandbox | undefined {
  const { cookie } = raw.headers
  if (cookie?.includes(sandboxCookies.http) !== true) return undefined
  const name = sandboxCookies[isOverHttps(raw, config) ? 'https' : 'http']
  const value = parseCookie(cookie)[name] ?? ''
  const found = keyFormat.test(value) ? openKey(value) : openToken(value)
  return found && { ...found, isOfCookie: true }
}

/** The request is not routed yet, so that its `protocol` is not known. */
function isOverHttps({ headers, socket }: IncomingMessage, { trustedProxies }: Config): boolean {
  const forwarded = trustedProxies.length > 0 ? headers['x-forwarded-proto'] : undefined
  if (forwarded !== undefined) return /(?:^|,)\s*https\s*$/.test(String(forwarded))
  return 'encrypted' in socket && socket.encrypted === true
}
