import { isObject } from '../http/request/parameters.ts'
import type { Exchange, Fields } from './exchange.ts'

/** A request to write as a command or as code. */
export interface CommandRequest {
  method: string
  url: string
  /** Content-Type is among them, unless the body is a form with a file. */
  headers: Fields
  /** `stored`: in a file with the name `content`. */
  body?:
    | { kind: 'json'; value: unknown }
    | { kind: 'text'; text: string }
    | { kind: 'file'; name: string }
    | { kind: 'stored' }
    | undefined
}

const connectionHeaders =
  /^(host|connection|user-agent|content-length|transfer-encoding|upgrade-insecure-requests|priority|te|dnt|referer|origin|pragma|cache-control|x-request-id|cookie|authorization|proxy-.*|sec-.*|:.*|accept-(encoding|language|charset))$/i

const bodyHeader = /^(transfer-encoding:|content-length:(?!0$))/i

/** Commands that repeat a recorded request. */
export function toCommands({ origin, target, method, requestFields }: Exchange) {
  const hasBody = requestFields.some(([name, value]) => bodyHeader.test(`${name}:${value}`))
  const request: CommandRequest = {
    method,
    url: origin + target,
    headers: requestFields.filter(([name]) => !connectionHeaders.test(name)),
    body: hasBody ? { kind: 'stored' } : undefined,
  }
  return {
    curl: toCurl(request, ['-i']),
    fetch: toFetch(request),
    httpie: toHttpie(request, '-v '),
  }
}

/** Without the headers that the client sets for a JSON body. */
export function toHeaders({ headers, body }: CommandRequest, implied: RegExp): Fields {
  return body?.kind === 'json'
    ? headers.filter((header) => !implied.test(header.join(': ')))
    : headers
}

export function toCurl(request: CommandRequest, flags: readonly string[] = []): string {
  const { method, url, body } = request
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined)
  const verb = method === 'HEAD' ? ['--head'] : isImplied ? [] : [`-X ${quoteForShell(method)}`]
  // Without -g, brackets and braces are patterns.
  const globoff = /[[\]{}]/.test(url) ? ['-g'] : []
  return [
    ['curl', ...flags, ...globoff, ...verb, quoteForShell(url)].join(' '),
    ...toHeaders(request, /^(accept|content-type): application\/json$/i).map(
      (header) => `-H ${quoteForShell(header.join(': '))}`,
    ),
    ...toCurlBody(body),
  ].join(' \\\n  ')
}

function toCurlBody(body: CommandRequest['body']): readonly string[] {
  if (body === undefined) return []
  if (body.kind === 'stored') return ['--data-binary @content']
  if (body.kind === 'json') return [`--json ${quoteForShell(JSON.stringify(body.value))}`]
  if (body.kind === 'text') return [`-d ${quoteForShell(body.text)}`]
  return [`-F ${quoteForShell(`${body.name}=@file.txt`)}`]
}

export function toFetch({ method, url, headers, body }: CommandRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(headers.length === 0 ? [] : [`headers: ${toLiteral(Object.fromEntries(headers))}`]),
    ...(body === undefined ? [] : [`body: ${toFetchBody(body)}`]),
  ].map((option) => `  ${option},\n`)
  const init = options.length === 0 ? '' : `, {\n${options.join('')}}`
  return `const response = await fetch(${JSON.stringify(url)}${init})`
}

function toFetchBody(body: NonNullable<CommandRequest['body']>): string {
  if (body.kind === 'text') return JSON.stringify(body.text)
  if (body.kind === 'json') return `JSON.stringify(${toLiteral(body.value)})`
  return body.kind === 'file' ? 'form' : 'content'
}

const toLiteral = (value: unknown) => JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ')

export function toHttpie(request: CommandRequest, flags = ''): string {
  const { method, url, body } = request
  const multipart = body?.kind === 'file' ? '--multipart ' : ''
  return [
    `http ${flags}${multipart}${quoteForShell(method)} ${quoteForShell(url)}`,
    // HTTPie reads a file for :@, and JSON for :=.
    ...toHeaders(request, /^content-type:/i).map((header) =>
      quoteForShell(header.join(':').replace(/:(?=[@=])/, ':\\')),
    ),
    ...toHttpieBody(body),
  ].join(' \\\n  ')
}

function toHttpieBody(body: CommandRequest['body']): readonly string[] {
  if (body === undefined) return []
  if (body.kind === 'stored') return ['< content']
  if (body.kind === 'file') return [quoteForShell(`${body.name}@file.txt`)]
  if (body.kind === 'text') return [`--raw ${quoteForShell(body.text)}`]
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
