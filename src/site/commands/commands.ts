import { isObject } from '../../config/is-object.ts'
import type { Fields } from '../../exchanges/exchange.ts'

export interface CommandRequest {
  method: string
  url: string
  headers: Fields
  /** The headers that a client would add, and that the request does not have. */
  without?: readonly string[]
  body?:
    | { kind: 'json'; value: unknown }
    | { kind: 'text'; text: string }
    | { kind: 'base64'; base64: string }
    | { kind: 'file'; name: string }
    | { kind: 'stored' }
    | undefined
}

export type CommandBody = CommandRequest['body']

/** Leaves out the headers that the client sets for a JSON body. */
export function toCommandHeaders({ headers, body }: CommandRequest, implied: RegExp): Fields {
  return body?.kind === 'json'
    ? headers.filter((header) => !implied.test(header.join(': ')))
    : headers
}

export function toCurl(request: CommandRequest, flags: readonly string[] = []): string {
  const { method, url, body, without = [] } = request
  const isImplied = method === (body === undefined ? 'GET' : 'POST')
  const isHead = method === 'HEAD' && body === undefined
  const verb = isHead ? ['--head'] : isImplied ? [] : [`-X ${quoteForShell(method)}`]
  // Without -g, brackets and braces are patterns.
  const globoff = /[[\]{}]/.test(url) ? ['-g'] : []
  // curl removes dot segments and fragments.
  const dots = /\/\.\.?(?=[/?]|$)/.test(url) ? ['--path-as-is'] : []
  return [
    [...toPipe(body), 'curl', ...flags, ...globoff, ...dots, ...verb, quoteForShell(url)].join(' '),
    ...toCommandHeaders(request, /^(accept|content-type): application\/json$/i).map(
      ([name, value]) =>
        `-H ${quoteForShell(value === '' ? `${name};` : `${name}: ${toUtf8Text(value)}`)}`,
    ),
    ...without.map((name) => `-H '${name}:'`),
    ...toCurlBody(body),
  ].join(' \\\n  ')
}

/** Pasted into a terminal, control characters would not stay in an argument. */
// eslint-disable-next-line no-control-regex
export const controls = /[\0-\x08\x0b-\x1f\x7f]/

function toPipe(body: CommandBody): readonly string[] {
  if (body?.kind === 'base64') return [`printf %s ${quoteForShell(body.base64)} | base64 -d |`]
  if (body?.kind !== 'text' || !controls.test(body.text)) return []
  const names = new Map(Object.entries({ '\\': '\\\\', '\r': '\\r', '\n': '\\n', '\t': '\\t' }))
  const escaped = body.text.replace(
    // eslint-disable-next-line no-control-regex
    /[\0-\x1f\x7f\\]/g,
    (one) => names.get(one) ?? `\\0${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return [`printf %b ${quoteForShell(escaped)} |`]
}

function toCurlBody(body: CommandBody): readonly string[] {
  if (body === undefined) return []
  if (body.kind === 'stored') return ['--data-binary @content']
  if (body.kind === 'json') return [`--json ${quoteForShell(JSON.stringify(body.value))}`]
  if (body.kind === 'file') return [`-F ${quoteForShell(`${body.name}=@file.txt`)}`]
  if (body.kind === 'base64' || toPipe(body).length > 0) return ['--data-binary @-']
  // -d would read a file for a text that begins with @.
  return [`${body.text.startsWith('@') ? '--data-raw' : '-d'} ${quoteForShell(body.text)}`]
}

export function toHttpie(request: CommandRequest, flags = ''): string {
  const { method, url, body, without = [] } = request
  const multipart = body?.kind === 'file' ? '--multipart ' : ''
  const pipe = toPipe(body).map((command) => `${command} `)
  return [
    `${pipe.join('')}http ${flags}${multipart}${quoteForShell(method)} ${quoteForShell(url)}`,
    // HTTPie reads a file for :@, and JSON for :=.
    ...toCommandHeaders(request, /^content-type:/i).map(([name, value]) =>
      quoteForShell(
        value === '' ? `${name};` : `${name}:${toUtf8Text(value).replace(/^[@=]/, '\\$&')}`,
      ),
    ),
    ...without.map((name) => `${name}:`),
    ...(pipe.length > 0 ? [] : toHttpieBody(body)),
  ].join(' \\\n  ')
}

function toHttpieBody(body: CommandBody): readonly string[] {
  if (body === undefined) return []
  if (body.kind === 'stored') return ['< content']
  if (body.kind === 'file') return [quoteForShell(`${body.name}@file.txt`)]
  if (body.kind === 'text') return [`--raw ${quoteForShell(body.text)}`]
  if (body.kind === 'base64') return []
  if (!isObject(body.value)) return [`--raw ${quoteForShell(JSON.stringify(body.value))}`]
  return Object.entries(body.value).map(([name, value]) =>
    quoteForShell(
      typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
    ),
  )
}

export function quoteForShell(text: string): string {
  return /^[A-Z]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

// Every character keeps its meaning between quotes, and those of `calm` do outside of them too.
const plain = String.raw`(?:[ #$&(-[\]-~]|%(?=[2-7]))`
const calm = String.raw`(?:[ #$*-;=?-[\]_-{}~]|%(?=[2-7]))`
const windowsLine = new RegExp(`^(?:${calm}|'${plain}*'|'${calm}*(?:"${calm}*"${calm}*)+')*$`)

/**
 * The command prompt of Windows (cmd) knows no single quotes, and a backslash does not escape a quotation mark in it.
 * Undefined if a character would have another meaning there.
 */
export function toWindows(curl: string): string | undefined {
  const lines = curl.split(' \\\n  ')
  if (!curl.startsWith('curl ') || !lines.every((line) => windowsLine.test(line))) return undefined
  const quote = (text: string) => `"${text.replaceAll('"', String.raw`\"`)}"`
  const quoted = lines.join(' ').replaceAll(/'([^']*)'/g, (_, text: string) => quote(text))
  return quoted.replace(/^curl/, 'curl.exe')
}

/** Node reads fields as Latin-1, and shells write UTF-8. */
function toUtf8Text(value: string): string {
  const decoded = Buffer.from(value, 'latin1').toString()
  return decoded.includes('\ufffd') ? value : decoded
}
