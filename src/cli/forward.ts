import type { IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Config } from '../config/config.ts'
import { request as requestHttp, STATUS_CODES } from '../http/node-http.ts'
import { isObject } from '../http/request/parameters.ts'
import type { CapturedRequest } from '../demos/bins/captured-request.ts'

interface Source {
  /** The URL of the bin in the API. */
  url: string
  headers: Record<string, string>
  signal: AbortSignal
}

const retryMs = 1000
const localSeconds = 30

/** Sends what the bin captures from now on to the local service, until it is interrupted. */
export async function forward({ binSecret }: Config, [bin = '', local = '']: readonly string[]) {
  const interruption = new AbortController()
  const { signal } = interruption
  const source = { ...parseBin(bin, binSecret), signal }
  const to = parseLocal(local)
  const interrupt = () => {
    interruption.abort()
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const [newest] = await list(source, '?sort=-receivedAt&per_page=1').catch((error: unknown) => {
    throw new Error(toReason(error))
  })
  console.log(`Forwarding the requests of ${source.url} to ${to.href}`)
  const position = { event: undefined, request: newest?.id }
  while (!signal.aborted) await follow(source, to, position)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
}

function parseBin(text: string, binSecret: string): Omit<Source, 'signal'> {
  const url = URL.parse(text)
  const [, id] = /^\/(?:b|bins)\/([\w-]+)/.exec(url?.pathname ?? '') ?? []
  if (!url || id === undefined) throw new Error('the URL of the bin must have the path /bins/ID')
  const secret = url.searchParams.get('secret') ?? binSecret
  if (secret === '') throw new Error('set the secret of the bin with --secret')
  return { url: `${url.origin}/bins/${id}`, headers: { authorization: `Bearer ${secret}` } }
}

function parseLocal(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new Error('the local URL must begin with http: or https:')
}

interface Position {
  event: string | undefined
  request: string | undefined
}

/** Until the connection ends. */
async function follow(source: Source, to: URL, position: Position): Promise<void> {
  const { signal } = source
  const fromList = new Set<string>()
  try {
    for await (const { name, id, value } of readEvents(source, position)) {
      position.event = id
      const missed = name === 'reset' ? await listAfter(source, position) : []
      for (const request of missed) {
        fromList.add(request.id)
        await forwardOne(source, to, request)
        position.request = request.id
      }
      if (name !== 'created' || fromList.has(String(value.id))) continue
      const path = `/requests/${String(value.id)}`
      const response = await get(source, path)
      if (!response.ok) continue
      await forwardOne(source, to, (await response.json()) as CapturedRequest)
      position.request = String(value.id)
    }
  } catch (error) {
    if (error instanceof BinUnavailable) throw error
    if (!signal.aborted) console.error(`vitrine: ${toReason(error)}; connecting again`)
  }
  await setTimeout(retryMs, undefined, { signal }).catch(() => undefined)
}

class BinUnavailable extends Error {}

async function get({ url, headers, signal }: Source, path: string, more = {}): Promise<Response> {
  const response = await fetch(url + path, { headers: { ...headers, ...more }, signal })
  const { status } = response
  if (status !== 401 && status !== 410 && (status !== 404 || path.includes('/requests/')))
    return response
  const problem: unknown = await response.json().catch(() => undefined)
  throw new BinUnavailable(String(isObject(problem) ? problem.detail : status))
}

async function list(source: Source, query: string): Promise<CapturedRequest[]> {
  const response = await get(source, `/requests${query}`)
  if (!response.ok) throw new Error(`the bin responds with ${String(response.status)}`)
  return (await response.json()) as CapturedRequest[]
}

function listAfter(source: Source, { request }: Position): Promise<CapturedRequest[]> {
  return list(source, request === undefined ? '' : `?after=${request}`)
}

async function* readEvents(source: Source, { event }: Position) {
  const more = { accept: 'text/event-stream', ...(event && { 'last-event-id': event }) }
  const response = await get(source, '/events', more)
  if (!response.ok || response.body === null)
    throw new Error(`the bin responds with ${String(response.status)}`)
  let [name, id] = ['', '']
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    const [, field = '', text = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (field === 'event') name = text
    if (field === 'id') id = text
    if (field !== 'data') continue
    const value: unknown = JSON.parse(text)
    yield { name, id, value: isObject(value) ? value : {} }
  }
  throw new Error('the connection to the bin ended')
}

async function forwardOne(source: Source, to: URL, request: CapturedRequest): Promise<void> {
  // Others chose the path: a terminal would interpret control characters.
  const line = `${request.method} ${request.path}`.replaceAll(/[^ -~]/g, '?')
  const begin = performance.now()
  const result = await sendOne(source, to, request).catch(toReason)
  console.log(`${line} → ${result}, ${String(Math.round(performance.now() - begin))} ms`)
}

async function sendOne(source: Source, to: URL, request: CapturedRequest): Promise<string> {
  if (request.isTooLarge === true) return 'not sent: its body was too large for the bin'
  const body = await readBody(source, request)
  const { status = 0 } = await send(to, request, body)
  return `${String(status)} ${STATUS_CODES[status] ?? ''}`.trimEnd()
}

async function readBody(source: Source, { id, requestBody }: CapturedRequest) {
  if (requestBody === undefined) return undefined
  const { isCut, text, hex = '' } = requestBody
  if (!isCut) return text === undefined ? Buffer.from(hex, 'hex') : Buffer.from(text)
  const response = await get(source, `/requests/${id}/body`)
  if (!response.ok) throw new Error('not sent: its body is gone')
  return Buffer.from(await response.arrayBuffer())
}

const ofConnection =
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

async function send(to: URL, captured: CapturedRequest, body: Buffer | undefined) {
  const kept = captured.requestFields.filter(([name]) => !ofConnection.test(name))
  // Without a length, Node sends an empty body in chunks.
  const hasLength = body !== undefined || !/^(DELETE|GET|HEAD|OPTIONS)$/.test(captured.method)
  const length = hasLength ? ['Content-Length', String(body?.length ?? 0)] : []
  const request = (to.protocol === 'https:' ? requestHttps : requestHttp)(to, {
    method: captured.method,
    path: to.pathname.replace(/\/$/, '') + captured.path,
    headers: ['Host', to.host, ...kept.flat(), ...length],
    timeout: localSeconds * 1000,
  })
  request.once('timeout', () => {
    request.destroy(new Error(`no response in ${String(localSeconds)} s`))
  })
  const responded = once(request, 'response') as Promise<[IncomingMessage]>
  request.end(body)
  const [response] = await responded
  await response.resume().toArray()
  return { status: response.statusCode }
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const inner: unknown = cause instanceof AggregateError ? cause.errors.at(-1) : cause
  return inner instanceof Error ? inner.message : error.message || error.name
}
