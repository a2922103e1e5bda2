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

/** Sends what the bin captures to the local service, from now on or after a request, until it is interrupted. */
export async function forward(config: Config, [bin = '', local = '']: readonly string[]) {
  const interruption = new AbortController()
  const { signal } = interruption
  const source = { ...parseBin(bin, config.binSecret), signal }
  const to = parseLocal(local)
  const interrupt = () => {
    interruption.abort()
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const request = await findStart(source, config.binAfter).catch((error: unknown) => {
    throw new Error(toReason(error))
  })
  console.log(`Forwarding the requests of ${source.url} to ${to.href}`)
  const position: Position = { event: undefined, request, listed: new Set(), isLost: false }
  while (!signal.aborted) await follow(source, to, position)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
}

/** The id after which all are sent; empty before the first one. */
async function findStart(source: Source, after: string): Promise<string> {
  const start = after === '0' ? '' : after
  const query = after === '' ? 'sort=-receivedAt' : `after=${encodeURIComponent(start)}`
  const [newest] = await list(source, `${query}&per_page=1`)
  return after === '' ? (newest?.id ?? '') : start
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
  /** The last one that was handled. */
  event: string | undefined
  /** The latest that was sent. */
  request: string
  /** Those that were sent before their event. */
  listed: Set<string>
  isLost: boolean
}

/** Until the connection ends. */
async function follow(source: Source, to: URL, position: Position): Promise<void> {
  const { signal } = source
  const sendOn = async (request: CapturedRequest) => {
    await forwardOne(source, to, request)
    if (request.id > position.request) position.request = request.id
  }
  try {
    for await (const { name, id, value } of readEvents(source, position)) {
      const isMissed = name === 'reset' || name === ''
      for (const request of isMissed ? await listMissed(source, position) : []) {
        await sendOn(request)
        position.listed.add(request.id)
      }
      if (name === 'created' && !position.listed.delete(String(value.id))) {
        const response = await get(source, `/requests/${String(value.id)}`)
        if (response) await sendOn((await response.json()) as CapturedRequest)
      }
      position.event = id
    }
  } catch (error) {
    if (error instanceof BinUnavailable) throw error
    position.isLost = true
    if (!signal.aborted) console.error(`vitrine: ${toReason(error)}; connecting again`)
  }
  await setTimeout(retryMs, undefined, { signal }).catch(() => undefined)
}

/** Those that are not known to have been sent when the connection begins, or when events are missing. */
async function listMissed(source: Source, position: Position): Promise<CapturedRequest[]> {
  const missed = await list(source, `after=${position.request}`)
  if (position.isLost) console.log(`Connected again. Requests missed: ${String(missed.length)}`)
  position.isLost = false
  return missed
}

class BinUnavailable extends Error {}

/** Undefined if the request has been removed. */
async function get({ url, headers, signal }: Source, path: string, more = {}) {
  const response = await fetch(url + path, { headers: { ...headers, ...more }, signal })
  const { ok, status } = response
  if (ok) return response
  if (status === 404 && path.includes('/requests/')) return undefined
  const problem: unknown = await response.json().catch(() => undefined)
  if (![400, 401, 404, 410].includes(status) || !isObject(problem))
    throw new Error(`the bin responds with ${String(status)}`)
  throw new BinUnavailable(String(problem.detail))
}

async function list(source: Source, query: string): Promise<CapturedRequest[]> {
  const response = await get(source, `/requests?${query}`)
  return response ? ((await response.json()) as CapturedRequest[]) : []
}

/** The first event has no name, and the id with which the stream begins. */
async function* readEvents(source: Source, { event }: Position) {
  const more = { accept: 'text/event-stream', ...(event && { 'last-event-id': event }) }
  const response = await get(source, '/events', more)
  let [name, id, text] = ['', '', '{}']
  const input = response?.body ? Readable.fromWeb(response.body) : Readable.from([])
  for await (const line of createInterface({ input })) {
    const [, field = '', rest = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (field === 'event') name = rest
    if (field === 'id') id = rest
    if (field === 'data') text = rest
    if (line !== '' || id === '') continue
    const value: unknown = JSON.parse(text)
    yield { name, id, value: isObject(value) ? value : {} }
    ;[name, id, text] = ['', '', '{}']
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
  if (!response) throw new Error('not sent: its body is gone')
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
