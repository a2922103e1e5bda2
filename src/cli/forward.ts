import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { finished, type Duplex } from 'node:stream'
import type { XStatic } from 'typebox/schema'
import type { Config } from '../config/config.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { createByteCollector } from '../http/body/read-bytes.ts'
import { hasCode } from '../http/errors/http-error.ts'
import { request as requestHttp, STATUS_CODES } from '../http/node-http.ts'
import { isObject } from '../http/request/parameters.ts'
import { connectionFields } from '../http/request/raw-request.ts'
import { textSchema } from '../stores/records/records.ts'

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

/** What is read of a request of a list. */
const requestSchema = {
  type: 'object',
  required: ['id', 'method', 'path', 'requestFields'],
  properties: {
    id: textSchema,
    method: textSchema,
    path: textSchema,
    requestFields: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 2, prefixItems: [textSchema, textSchema] },
    },
    requestBody: { type: 'object' },
    isTooLarge: { type: 'boolean' },
  },
} as const

type ListedRequest = XStatic<typeof requestSchema>

/** If it is the only one, it is not sent again while the service cannot be reached. */
type Forwarded = ListedRequest & { isOnly?: boolean }

const validator = compileLater(requestSchema)
const retryMs = 1000
const maxRetryMs = 5000
const unreachable = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENOTFOUND']
const localSeconds = 30
/** With escapes, a request of a list has less than 1 MiB. */
const maxLineLength = 4 * 1024 * 1024
/** The greatest value of BIN_MAX_BODY_BYTES. */
const maxBodyBytes = 64 * 1024 * 1024
const lineFeed = 10
const parentSegment = /^[^?]*(?:[/\\]|%2f|%5c)(?:\.|%2e){2}(?:[/\\?#;]|%2f|%5c|$)/i

/** Sends what the bin captures to the local service: one request, or from now on or after one, until it is interrupted. */
export async function forward(config: Config, [bin = '', local = '']: readonly string[]) {
  const source = parseBin(bin, config.binSecret)
  const to = URL.parse(local)
  if (!to || !/^https?:$/.test(to.protocol))
    throw new Error('the local URL must begin with http: or https:')
  const { binOnly, binAfter } = config
  const begin = async () => {
    if (binOnly !== '') process.exitCode = (await sendOnly(source, to, binOnly)) ? 0 : 1
    else source.request = await findStart(source, binAfter)
  }
  await begin().catch((error: unknown) => {
    throw new Error(toReason(error))
  })
  if (binOnly !== '') return
  const stop = () => {
    console.log(`To continue: --after ${toPrintable(source.request) || '0'}`)
    process.exit()
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
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
  let newest = ''
  for await (const { id } of list(source, `?${query}&per_page=1`)) newest = id
  return after === '' ? newest : start
}

/** Returns whether it succeeded. */
async function sendOnly(source: Source, to: URL, id: string): Promise<boolean> {
  for await (const request of list(source, `/${encodeURIComponent(id)}`))
    return forwardOne(source, to, { ...request, isOnly: true })
  throw new Error(`the bin has no request ${id}`)
}

/** Until the connection ends, which is an error. */
async function follow(source: Source, to: URL): Promise<void> {
  let missed = 0
  const sendOn = async (request: ListedRequest) => {
    await forwardOne(source, to, request)
    if (request.id > source.request) source.request = request.id
  }
  for await (const { name, id, value } of readEvents(source)) {
    // When the connection begins, or when events are missing.
    if (name === 'reset' || name === '') {
      for await (const request of list(source, `?after=${source.request}`)) {
        await sendOn(request)
        source.listed.add(request.id)
        missed += 1
      }
      if (source.isLost) console.log(`Connected again. Requests missed: ${String(missed)}`)
      source.isLost = false
    }
    if (name === 'created' && !source.listed.delete(String(value.id))) {
      for await (const request of list(source, `/${String(value.id)}`)) await sendOn(request)
    }
    source.event = id
  }
  throw new Error('the connection to the bin ended')
}

class BinUnavailable extends Error {}

/** Undefined if the request has been removed. */
async function get({ url, authorization }: Source, path: string, more = {}) {
  const response = await fetch(url + path, { headers: { authorization, ...more } })
  const { ok, status } = response
  if (ok) return response
  if (status === 404 && path.includes('/requests/')) return undefined
  const problem = parseJson(String(await readBytes(response.body, maxLineLength)))
  if (![400, 401, 404, 410].includes(status) || !isObject(problem))
    throw new Error(`the bin responds with ${String(status)}`)
  throw new BinUnavailable(toPrintable(String(problem.detail)))
}

/** Those of a list, or the one at the path. Throws if the service is another one. */
async function* list(source: Source, pathOrQuery: string): AsyncGenerator<ListedRequest> {
  const accept = 'application/x-ndjson, application/json'
  const response = await get(source, `/requests${pathOrQuery}`, { accept })
  for await (const line of readLines(response?.body))
    for (const one of [parseJson(line)].flat()) {
      if (!validator().Check(one)) throw new BinUnavailable('The response is not that of a bin.')
      yield one
    }
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
  for await (const line of readLines(response?.body)) {
    const [, field = '', rest = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (field === 'event') name = rest
    if (field === 'id') id = rest
    if (field === 'data') text = rest
    if (line !== '' || id === '') continue
    const value = parseJson(text)
    yield { name, id, value: isObject(value) ? value : {} }
    ;[name, id, text] = ['', '', '{}']
  }
}

type Chunks = AsyncIterable<Uint8Array> | null | undefined

async function* readLines(body: Chunks): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    if (rest.length > maxLineLength) throw new BinUnavailable('The bin sends too long a line.')
    // To split also flattens, which would take long for each of many small chunks.
    if (!chunk.includes(lineFeed)) continue
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

async function readBytes(body: Chunks, maxBytes: number): Promise<Buffer> {
  const bytes = createByteCollector(maxBytes)
  for await (const chunk of body ?? [])
    if (!bytes.add(Buffer.from(chunk))) throw new BinUnavailable('The bin sends too large a body.')
  return bytes.toBuffer()
}

/** Returns whether it succeeded. */
async function forwardOne(source: Source, to: URL, captured: Forwarded): Promise<boolean> {
  const { id, method, path } = captured
  const result = await deliver(source, to, captured)
  const hasSucceeded = /^[123]\d\d /.test(result)
  const again =
    hasSucceeded || result.startsWith('not sent') ? '' : `. To send it again: --only ${id}`
  console.log(`${toPrintable(`${method} ${path}`)} → ${result}${toPrintable(again)}`)
  return hasSucceeded
}

/** Returns the result: the status, or why no response arrived. */
async function deliver(source: Source, to: URL, captured: Forwarded): Promise<string> {
  const { id, path, isTooLarge, requestBody, isOnly } = captured
  if (isTooLarge) return 'not sent: its body was too large for the bin'
  if (parentSegment.test(path)) return 'not sent: its path has the segment ..'
  const response = requestBody && (await get(source, `/requests/${id}/body`))
  if (requestBody && !response) return 'not sent: its body is gone'
  const body = response && (await readBytes(response.body, maxBodyBytes))
  let isDown = false
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, maxRetryMs)) {
    const begin = performance.now()
    const result = await send(to, captured, body).catch((error: unknown) => error)
    const reason = typeof result === 'number' ? toStatusLine(result) : toReason(result)
    if (isOnly || !hasCode(result, ...unreachable)) {
      if (isDown) console.log('Connected to the local service again.')
      return `${reason}, ${String(Math.round(performance.now() - begin))} ms`
    }
    if (!isDown)
      console.error(
        `The local service cannot be reached (${reason}). Trying again until it is back.`,
      )
    isDown = true
    await setTimeout(pauseMs)
  }
}

const toStatusLine = (status: number) => `${String(status)} ${STATUS_CODES[status] ?? ''}`

function send(to: URL, { method, path, requestFields }: ListedRequest, body?: Buffer) {
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
  return responded
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
    .once('error', reject)
    .on('connect', switchProtocols)
    .on('upgrade', switchProtocols)
    .on('response', (response) => {
      // Without its code: the request has arrived, and is not sent again.
      request.off('error', reject).on('error', ({ message }) => {
        fail(message)
      })
      if (response.statusCode === 101) switchProtocols(response, response.socket)
      finished(response.resume(), (error) => {
        if (error) fail(error.message)
        else resolve(response.statusCode ?? 0)
      })
    })
  AbortSignal.timeout(localSeconds * 1000).addEventListener('abort', () => {
    fail(`no complete response in ${String(localSeconds)} s`)
  })
  return promise
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
