import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { createInterface } from 'node:readline'
import { finished, Readable, type Duplex } from 'node:stream'
import type { XStatic } from 'typebox/schema'
import type { Config } from '../config/config.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { request as requestHttp, STATUS_CODES } from '../http/node-http.ts'
import { isObject } from '../http/request/parameters.ts'
import { connectionFields } from '../http/request/raw-request.ts'
import { requestSchema } from '../demos/bins/documentation.ts'

interface Source {
  /** The URL of the bin in the API. */
  url: string
  authorization: string
  /** The id of the last event that was handled. */
  event?: string
  /** The id of the latest request that was sent; empty before the first one. */
  request: string
  /** Those that were sent before their event. */
  listed: Set<string>
  isLost?: boolean
}

type ListedRequest = XStatic<typeof requestSchema>

const validator = compileLater(requestSchema)
const retryMs = 1000
const localSeconds = 30
const parentSegment = /^[^?]*(?:[/\\]|%2f|%5c)(?:\.|%2e){2}(?:[/\\?#;]|%2f|%5c|$)/i

/** Sends what the bin captures to the local service, from now on or after a request, until it is interrupted. */
export async function forward(config: Config, [bin = '', local = '']: readonly string[]) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit())
  const source = parseBin(bin, config.binSecret)
  const to = URL.parse(local)
  if (!to || !/^https?:$/.test(to.protocol))
    throw new Error('the local URL must begin with http: or https:')
  source.request = await findStart(source, config.binAfter).catch((error: unknown) => {
    throw new Error(toReason(error))
  })
  console.log(`Forwarding the requests of ${source.url} to ${to.href}`)
  for (;;) {
    await follow(source, to).catch((error: unknown) => {
      if (error instanceof BinUnavailable) throw error
      source.isLost = true
      console.error(`vitrine: ${toReason(error)}; connecting again`)
    })
    await setTimeout(retryMs)
  }
}

function parseBin(text: string, binSecret: string): Source {
  const url = URL.parse(text)
  const [, id] = /^\/(?:b|bins)\/([\w-]+)/.exec(url?.pathname ?? '') ?? []
  if (!url || id === undefined) throw new Error('the URL of the bin must have the path /bins/ID')
  const secret = url.searchParams.get('secret') ?? binSecret
  if (secret === '') throw new Error('set the secret of the bin with --secret')
  const authorization = `Bearer ${secret}`
  return { url: `${url.origin}/bins/${id}`, authorization, request: '', listed: new Set() }
}

/** The id after which all are sent; empty before the first one. */
async function findStart(source: Source, after: string): Promise<string> {
  const start = after === '0' ? '' : after
  const query = after === '' ? 'sort=-receivedAt' : `after=${encodeURIComponent(start)}`
  const [newest] = await list(source, `?${query}&per_page=1`)
  return after === '' ? (newest?.id ?? '') : start
}

/** Until the connection ends, which is an error. */
async function follow(source: Source, to: URL): Promise<void> {
  const sendOn = async (request: ListedRequest) => {
    await forwardOne(source, to, request)
    if (request.id > source.request) source.request = request.id
  }
  for await (const { name, id, value } of readEvents(source)) {
    const isMissed = name === 'reset' || name === ''
    for (const request of isMissed ? await listMissed(source) : []) {
      await sendOn(request)
      source.listed.add(request.id)
    }
    if (name === 'created' && !source.listed.delete(String(value.id))) {
      for (const request of await list(source, `/${String(value.id)}`)) await sendOn(request)
    }
    source.event = id
  }
  throw new Error('the connection to the bin ended')
}

/** Those that are not known to have been sent when the connection begins, or when events are missing. */
async function listMissed(source: Source): Promise<ListedRequest[]> {
  const missed = await list(source, `?after=${source.request}`)
  if (source.isLost) console.log(`Connected again. Requests missed: ${String(missed.length)}`)
  source.isLost = false
  return missed
}

class BinUnavailable extends Error {}

/** Undefined if the request has been removed. */
async function get({ url, authorization }: Source, path: string, more = {}) {
  const response = await fetch(url + path, { headers: { authorization, ...more } })
  const { ok, status } = response
  if (ok) return response
  if (status === 404 && path.includes('/requests/')) return undefined
  const problem: unknown = await response.json().catch(() => undefined)
  if (![400, 401, 404, 410].includes(status) || !isObject(problem))
    throw new Error(`the bin responds with ${String(status)}`)
  throw new BinUnavailable(toPrintable(String(problem.detail)))
}

/** Those of a list, or the one at the path. Throws if the service is another one. */
async function list(source: Source, pathOrQuery: string): Promise<ListedRequest[]> {
  const response = await get(source, `/requests${pathOrQuery}`)
  const text = (await response?.text()) ?? '[]'
  const all: unknown[] = [parseJson(text)].flat()
  if (all.every((one) => validator().Check(one))) return all
  throw new BinUnavailable('The response is not that of a bin.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first event has no name, and the id with which the stream begins. */
async function* readEvents(source: Source) {
  const last = source.event && { 'last-event-id': source.event }
  const response = await get(source, '/events', { accept: 'text/event-stream', ...last })
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
}

async function forwardOne(source: Source, to: URL, captured: ListedRequest): Promise<void> {
  const line = toPrintable(`${captured.method} ${captured.path}`)
  const begin = performance.now()
  const result = await send(source, to, captured).catch(toReason)
  console.log(`${line} → ${result}, ${String(Math.round(performance.now() - begin))} ms`)
}

async function send(source: Source, to: URL, captured: ListedRequest): Promise<string> {
  const { method, path, requestFields, isTooLarge } = captured
  if (isTooLarge) return 'not sent: its body was too large for the bin'
  if (parentSegment.test(path)) return 'not sent: its path has the segment ..'
  const body = await readBody(source, captured)
  // Without a length, Node sends an empty body in chunks.
  const hasLength = body !== undefined || !/^(DELETE|GET|HEAD|OPTIONS)$/.test(method)
  const length = hasLength ? ['Content-Length', String(body?.length ?? 0)] : []
  const kept = requestFields.filter(([name]) => !connectionFields.test(name))
  const request = (to.protocol === 'https:' ? requestHttps : requestHttp)(to, {
    method,
    path: to.pathname.replace(/\/$/, '') + path,
    headers: ['Host', to.host, ...kept.flat(), ...length],
  })
  const responded = readStatus(request)
  request.end(body)
  const status = await responded
  return `${String(status)} ${STATUS_CODES[status] ?? ''}`.trimEnd()
}

/** After the whole response. An error that has no listener would end the process. */
function readStatus(request: ClientRequest): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const fail = (reason: string) => {
    reject(new Error(reason))
    request.destroy()
  }
  const switchProtocols = (_: IncomingMessage, socket: Duplex) => {
    socket.destroy()
    fail('the response begins another protocol')
  }
  request
    .on('error', reject)
    .on('connect', switchProtocols)
    .on('upgrade', switchProtocols)
    .on('response', (response) => {
      if (response.statusCode === 101) switchProtocols(response, response.socket)
      finished(response.resume(), (error) => {
        if (error) reject(error)
        else resolve(response.statusCode ?? 0)
      })
    })
  AbortSignal.timeout(localSeconds * 1000).addEventListener('abort', () => {
    fail(`no complete response in ${String(localSeconds)} s`)
  })
  return promise
}

async function readBody(source: Source, { id, requestBody }: ListedRequest) {
  if (requestBody === undefined) return undefined
  const response = await get(source, `/requests/${id}/body`)
  if (!response) throw new Error('not sent: its body is gone')
  return Buffer.from(await response.arrayBuffer())
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return toPrintable(String(error))
  const { cause } = error
  const inner: unknown = cause instanceof AggregateError ? cause.errors.at(-1) : cause
  return toPrintable(inner instanceof Error ? inner.message : error.message || error.name)
}

/** Others chose the text: a terminal would interpret control characters. */
function toPrintable(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?')
}
