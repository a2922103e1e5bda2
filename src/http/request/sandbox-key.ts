import { parseCookie } from 'cookie'
import type { FastifyReply } from 'fastify'
import { createHmac, hash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { badRequest, type HttpError } from '../errors/http-error.ts'
import { registerCookie, registerSecret, toOwnCookie } from '../security/own-secrets.ts'

/** The sandbox that a request names. The key itself is in no record. */
export interface NamedSandbox {
  id: string
  isReadOnly: boolean
  /** Set if the response sets its cookie. */
  isNew?: boolean
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
    /** `/s/KEY`, or with a token: what the commands of a page begin with, so that they use the same sandbox. */
    sandboxPath?: string
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

/** 128 random bits. */
export const createSandboxKey = (): string => randomBytes(16).toString('base64url')

/** An empty value removes the cookie. */
export function setSandboxCookie(reply: FastifyReply, value: string): void {
  const { request } = reply
  const cookie = { name: sandboxCookies[request.protocol], value }
  reply.header(
    'set-cookie',
    toOwnCookie(request, { ...cookie, ...(value === '' && { maxAge: 0 }) }),
  )
}

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

/** The name that `vitrine sandboxes` shows too: the beginning of a hash, which is no key. */
export const toSandboxName = ({ id }: NamedSandbox): string =>
  Buffer.from(id, 'base64url').toString('hex').slice(0, 12)

/** The links that join the sandbox. Neither contains the key. */
export function toJoinUrls({ tokens }: NamedSandbox, origin: string) {
  const toUrl = (token: string) => `${origin}/s/join/${token}`
  return {
    ...(tokens && { readUrl: toUrl(tokens.read) }),
    ...(tokens?.write && { writeUrl: toUrl(tokens.write) }),
  }
}

/** No key and no token opens it, and without the secret no one can name it. */
export function openAddress(address: string, secret: string): NamedSandbox {
  const id = createHmac('sha256', secret).update(address).digest('base64url')
  return { id, isReadOnly: false }
}

export function openToken(token: string): NamedSandbox | undefined {
  if (!tokenFormat.test(token)) return undefined
  const secret = token.slice(2)
  return token.startsWith(tokenStart.read) ? openReadToken(secret) : openWriteToken(secret)
}

/** A token names its sandbox wherever a key does. */
const openCredential = (text: string) => (keyFormat.test(text) ? openKey(text) : openToken(text))

/** `/s/join/…` is a path of the service. */
const baseFormat = /^\/s\/(?!join(?:[/?]|$))([^/?]+)(?=[/?]|$)/

/** Takes the key out of the path, and finds the sandbox: the path counts before the header, and this before a cookie. */
export function takeSandbox(raw: IncomingMessage, target: string, config: Config): string {
  const [basePath, inPath] = baseFormat.exec(target) ?? []
  const isOff = config.sandboxes === 'off'
  const inHeader = raw.headers[sandboxHeader]
  if (isOff && inHeader === undefined) return target
  const key = isOff ? String(inHeader) : (inPath ?? inHeader?.toString())
  if (isOff) raw.sandboxError = badRequest('There are no sandboxes here (SANDBOXES=off).')
  else useCredential(raw, key, config)
  if (isOff || basePath === undefined) return target
  raw.basePath = basePath
  return target.slice(basePath.length).replace(/^(?!\/)/, '/')
}

function useCredential(raw: IncomingMessage, given: string | undefined, config: Config): void {
  const credential = given ?? findInCookie(raw, config)
  const found = openCredential(credential)
  if (found) {
    raw.sandbox = given === undefined ? { ...found, isOfCookie: true } : found
    raw.sandboxPath = `/s/${credential}`
  } else if (given !== undefined) raw.sandboxError = badRequest(wrongKey)
}

export const wrongKey =
  'The key of a sandbox must have 16 to 64 characters: letters, digits, hyphens and underscores.'

/** Over HTTPS, a page of another service of the domain could set a cookie without the prefix. */
function findInCookie(raw: IncomingMessage, config: Config): string {
  const { cookie } = raw.headers
  if (cookie?.includes(sandboxCookies.http) !== true) return ''
  const name = sandboxCookies[isOverHttps(raw, config) ? 'https' : 'http']
  return parseCookie(cookie)[name] ?? ''
}

/** The request is not routed yet, so that its `protocol` is not known. */
function isOverHttps({ headers, socket }: IncomingMessage, { trustedProxies }: Config): boolean {
  const forwarded = trustedProxies.length > 0 ? headers['x-forwarded-proto'] : undefined
  if (forwarded !== undefined) return /(?:^|,)\s*https\s*$/.test(String(forwarded))
  return 'encrypted' in socket && socket.encrypted === true
}
