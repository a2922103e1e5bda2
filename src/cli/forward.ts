import type { Config } from '../config/config.ts'
import { hasCode } from '../config/has-code.ts'
import { maxBinBodyBytes } from '../config/settings.ts'
import { STATUS_CODES } from '../http/node-http.ts'
import { onStopSignal } from '../operations/stop-signals.ts'
import { BinUnavailable, get, list, readAll, readEvents } from './bin-client.ts'
import type { ListedRequest, BinSource } from './bin-client.ts'
import { toPrintable } from './format.ts'
import { sendToLocal } from './send-to-local.ts'
import { delay, performance } from '../timers.ts'

/** A request that is the only one to send is not sent again while the service cannot be reached. */
type Forwarded = ListedRequest & { isOnly?: boolean }

const retryMs = 1000
const maxRetryMs = 5000
const unreachableCodes = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND']
/** The request may be the reason, and is sent again a few times only. */
const brokenConnectionCodes = ['ECONNRESET', 'EPIPE']
const maxResends = 3
const parentSegment = /^[^?]*(?:[/\\]|%2f|%5c)(?:\.|%2e){2}(?:[/\\?#;]|%2f|%5c|$)/i

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
    const { waiting } = source
    if (waiting)
      console.log(`To continue without ${toLine(waiting)}: --after ${toPrintable(waiting.id)}`)
    console.log(`To continue: --after ${toPrintable(source.request) || '0'}`)
    process.exit()
  }
  onStopSignal(stop)
  console.log(`Forwarding the requests of ${source.url} to ${to.href}`)
  for (;;) {
    await follow(source, to).catch((error: unknown) => {
      if (error instanceof BinUnavailable) throw error
      source.isLost = true
      console.error(`vitrine: ${toReason(error)}; connecting again`)
    })
    await delay(retryMs)
  }
}

function parseBin(text: string, binSecret: string): BinSource {
  const url = URL.parse(text)
  const [, id] = /^\/(?:b|bins)\/([\w-]+)/.exec(url?.pathname ?? '') ?? []
  if (!url || id === undefined) throw new Error('the URL of the bin must have the path /bins/ID')
  const secret = url.searchParams.get('secret') ?? binSecret
  if (secret === '') throw new Error('set the secret of the bin with --secret')
  const authorization = `Bearer ${secret}`
  return { url: `${url.origin}/bins/${id}`, authorization, request: '', listed: new Set() }
}

async function findStart(source: BinSource, after: string): Promise<string> {
  const start = after === '0' ? '' : after
  const query = after === '' ? 'sort=-receivedAt' : `after=${encodeURIComponent(start)}`
  let newest = ''
  for await (const { id } of list(source, `?${query}&per_page=1`)) newest = id
  return after === '' ? newest : start
}

async function sendOnly(source: BinSource, to: URL, id: string): Promise<boolean> {
  for await (const request of list(source, `/${encodeURIComponent(id)}`))
    return forwardOne(source, to, { ...request, isOnly: true })
  throw new Error(`the bin has no request ${id}`)
}

async function follow(source: BinSource, to: URL): Promise<void> {
  let missed = 0
  const sendOn = async (request: ListedRequest) => {
    await forwardOne(source, to, request)
    if (request.id > source.request) source.request = request.id
  }
  for await (const { name, id, value } of readEvents(source)) {
    // Such an event arrives when the connection begins, and when events are missing.
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

async function forwardOne(source: BinSource, to: URL, captured: Forwarded): Promise<boolean> {
  const result = await deliver(source, to, captured)
  delete source.waiting
  const hasSucceeded = /^[123]\d\d /.test(result)
  const again =
    hasSucceeded || result.startsWith('not sent') ? '' : `. To send it again: --only ${captured.id}`
  console.log(`${toLine(captured)} → ${result}${toPrintable(again)}`)
  return hasSucceeded
}

const toLine = ({ method, path }: ListedRequest) => toPrintable(`${method} ${path}`)

/** Returns the result: the status, or why no response arrived. */
async function deliver(source: BinSource, to: URL, captured: Forwarded): Promise<string> {
  const { id, path, isTooLarge, requestBody } = captured
  if (isTooLarge) return 'not sent: its body was larger than BIN_MAX_BODY_BYTES of the service'
  if (parentSegment.test(path)) return 'not sent: its path has the segment ..'
  const response = requestBody && (await get(source, `/requests/${id}/body`))
  if (requestBody && !response) return 'not sent: its body is gone'
  const body = response && (await readAll(response.body, maxBinBodyBytes))
  return sendUntilReceived(source, to, { captured, body })
}

async function sendUntilReceived(
  source: BinSource,
  to: URL,
  { captured, body }: { captured: Forwarded; body: Buffer | undefined },
): Promise<string> {
  let [brokenCount, lastLine] = [0, '']
  for (let pauseMs = 250; ; pauseMs = Math.min(2 * pauseMs, maxRetryMs)) {
    const begin = performance.now()
    const result = await sendToLocal(to, captured, body).catch((error: unknown) => error)
    const reason = typeof result === 'number' ? toStatusLine(result) : toReason(result)
    const isBroken = hasCode(result, ...brokenConnectionCodes)
    if (isBroken) brokenCount += 1
    const isRepeated = isBroken ? brokenCount <= maxResends : hasCode(result, ...unreachableCodes)
    if (captured.isOnly || !isRepeated) {
      if (lastLine !== '' && !isBroken) console.log('Connected to the local service again.')
      return `${reason}, ${String(Math.round(performance.now() - begin))} ms`
    }
    source.waiting = captured
    const line = isBroken
      ? `The connection broke (${reason}) in attempt ${String(brokenCount)} of ${String(maxResends + 1)}.`
      : `The local service cannot be reached (${reason}). Trying again until it is back.`
    if (line !== lastLine) console.error(`Waiting to send ${toLine(captured)} again. ${line}`)
    lastLine = line
    await delay(pauseMs)
  }
}

const toStatusLine = (status: number) => `${String(status)} ${STATUS_CODES[status] ?? ''}`

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return toPrintable(String(error))
  const { cause } = error
  const inner: unknown = cause instanceof AggregateError ? cause.errors.at(-1) : cause
  return toPrintable(inner instanceof Error ? inner.message : error.message || error.name)
}
