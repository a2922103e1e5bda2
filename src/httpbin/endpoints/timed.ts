import { Readable } from 'node:stream'
import { badRequest } from '../../http/errors/http-error.ts'
import { pace, paceItems, toPause, wait } from '../../http/response/pacing.ts'
import { forbiddenTrailers } from '../../http/response/send-visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { forAny, toEndpoint, type DialectEndpoint } from '../endpoint.ts'
import { toCompactJson } from '../json.ts'
import {
  assertInRange,
  findParameter,
  parseFloatText,
  findInteger,
  parseQuerySeconds,
  parseSeconds,
  toGoDuration,
} from '../parameters.ts'
import { renderAs, renderJson, toRequestMembers } from '../render.ts'
import { parseStatusCode } from './status.ts'
import { performance } from '../../timers.ts'

const delayed = { delay: ['The seconds before the response.', '0'] } as const
const dripQuery = {
  duration: ['The seconds between the first byte and the last.', '0.1'],
  numbytes: ['The number of bytes.', '3'],
  ...delayed,
  code: ['The status code.', '200'],
} as const
const itemsQuery = {
  count: ['The number of items.', '3'],
  duration: ['The seconds between the first item and the last.', '0.1'],
  ...delayed,
  jitter: ['By which part of itself a pause may be shorter or longer, from 0 to 1.', '0.5'],
} as const

const withBody = { methods: forAny, readsBody: true }
const delaying: Partial<DialectEndpoint> = {
  ...withBody,
  // httpbin shortens a longer delay.
  toSchemas: ({ dialect, config: { maxDurationSeconds: maximum } }) => ({
    seconds: { type: 'number', minimum: 0, ...(!dialect.isPython && { maximum }) },
  }),
}
const bytes = { mediaTypes: ['application/octet-stream'], query: dripQuery }
const eventType = 'text/event-stream'
const lineType = 'application/x-ndjson'
const events = { mediaTypes: [eventType], query: itemsQuery }
const lines = { mediaTypes: [lineType], query: itemsQuery }

export const timedEndpoints = [
  toEndpoint('/delay/:seconds=0.1', 'Respond after a delay', delaying, delay),
  toEndpoint('/drip', 'Send bytes one at a time', bytes, drip),
  toEndpoint('/stream/:count=2', 'Stream lines of JSON', streamCount),
  toEndpoint('/sse', 'Stream server-sent events', events, streamEvents),
  toEndpoint('/jsonl', 'Stream lines of JSON over a time', lines, streamLines),
  toEndpoint('/trailers', 'Send the query parameters as trailers', withBody, sendTrailers),
]

const toMetric = (name: string, seconds: number, description: string) =>
  `${name};dur=${(seconds * 1000).toFixed(2)};desc="${description}"`

function toPacedTiming(
  { delay, duration, pauseMs }: Record<'delay' | 'duration' | 'pauseMs', number>,
  total = delay + duration,
): string {
  return [
    toMetric('total_duration', total, 'total request duration'),
    toMetric('initial_delay', delay, 'initial delay'),
    toMetric('write_duration', duration, 'duration of writes after initial delay'),
    toMetric('pause_per_write', pauseMs / 1000, 'computed pause between writes'),
  ].join(', ')
}

const abandoned = { status: 499 }

async function delay(request: DialectRequest, text: string) {
  const { isPython } = request.dialect
  const { maxDurationSeconds: max } = request.config
  const bounds = { name: 'duration', max: isPython ? Infinity : max }
  const seconds = Math.min(parseSeconds(request, text, bounds), max)
  if (!(await wait(request.reply, seconds * 1000))) return abandoned
  const members = toRequestMembers(request, { hasBody: true })
  if (isPython) members.delete('json')
  const timing = toMetric('initial_delay', seconds, 'initial delay')
  return { ...renderJson(request, members), ...(!isPython && { timing }) }
}

async function drip(request: DialectRequest) {
  const { reply, dialect } = request
  const { isPython, textType } = dialect
  const { duration, delay, size, status } = parseDrip(request)
  const pauseMs = isPython ? (duration * 1000) / size : toPause(duration, size)
  if (delay > 0 && !(await wait(reply, delay * 1000))) return abandoned
  const type = isPython ? 'application/octet-stream' : textType
  const body = drops(reply, { count: size, pauseMs, batch: 16_384 })
  const timing = toPacedTiming({ delay, duration, pauseMs })
  return { ...renderAs(type, body, status), size, ...(!isPython && { timing }) }
}

function parseDrip(request: DialectRequest) {
  const { isPython } = request.dialect
  const { maxBodyBytes, maxDurationSeconds: max } = request.config
  const duration = parseQuerySeconds(request, 'duration') ?? 2
  const delay = parseQuerySeconds(request, 'delay') ?? (isPython ? 0 : 2)
  const given = findInteger(request, 'numbytes') ?? 10
  if (!isPython) assertInRange(given, 'numbytes', [1, maxBodyBytes])
  const status = parseStatusCode(findParameter(request, 'code') ?? '200', request.dialect)
  if (given <= 0) throw badRequest('number of bytes must be positive')
  if (duration + delay > max) {
    const terms = [duration, delay].map(toGoDuration).join('+')
    throw badRequest(`too much time: ${terms} > ${toGoDuration(max)}`)
  }
  return { duration, delay, size: Math.min(given, maxBodyBytes), status }
}

async function* drops(...given: Parameters<typeof pace>) {
  for await (const { start, end } of pace(...given)) yield '*'.repeat(end - start)
}

function streamCount(request: DialectRequest, text: string) {
  const { isPython, jsonType, textType, parseInteger } = request.dialect
  const count = Math.min(Math.max(parseInteger(text, 'count'), isPython ? 0 : 1), 100)
  // Go detects that it is text.
  const type = isPython ? jsonType : textType
  return renderAs(type, paceItems(request.reply, { count, pauseMs: 0 }, createLine(request)))
}

/** A text of the request cannot contain the mark: its quotation marks would be escaped. */
const idMark = '-0.123456789'

/** Serializes the request once: the lines differ by their id only. */
function createLine(request: DialectRequest): (id: number) => string {
  const { isPython, jsonStyle } = request.dialect
  const all = toRequestMembers(request).set('id', Number(idMark))
  const names = isPython
    ? ['url', 'args', 'headers', 'origin', 'id']
    : ['id', 'args', 'headers', 'origin', 'url']
  const shown = new Map(names.map((name) => [name, all.get(name)]))
  const escaped = isPython ? jsonStyle.escaped : /[<>&\u2028\u2029\ufffd]+/g
  const mark = `"id"${jsonStyle.compact[1]}`
  const line = toCompactJson(shown, { ...jsonStyle, sortsMaps: false, escaped })
  const [start = '', end = ''] = line.split(mark + idMark)
  return (id) => `${start}${mark}${String(id)}${end}\n`
}

interface Items {
  type: string
  duration: number
  toCount: (given: number) => number
  toItem: (id: number) => string
}

/** MAX_BODY_BYTES limits the number of events by this size. */
const eventBytes = 56

function streamEvents(request: DialectRequest) {
  const max = Math.floor(request.config.maxBodyBytes / eventBytes)
  const toCount = (count: number) => {
    if (count >= 1 && count <= max) return count
    throw badRequest(`invalid count: must in range [1, ${String(max)}]`)
  }
  const toItem = (id: number) =>
    `event: ping\ndata: ${JSON.stringify({ id, timestamp: Date.now() })}\n\n`
  return streamItems(request, { type: eventType, duration: 5, toCount, toItem })
}

/** MAX_BODY_BYTES limits the number of lines by this smallest size. */
const lineBytes = 172

function streamLines(request: DialectRequest) {
  const toItem = createLine(request)
  const size = Math.max(Buffer.byteLength(toItem(0)), lineBytes)
  const max = Math.max(Math.floor(request.config.maxBodyBytes / size), 1)
  const toCount = (count: number) => Math.min(Math.max(count, 1), max)
  return streamItems(request, { type: lineType, duration: 0, toCount, toItem })
}

async function streamItems(request: DialectRequest, items: Items) {
  const startedAt = performance.now()
  const { reply, config, dialect } = request
  const count = items.toCount(findInteger(request, 'count', 'Atoi') ?? 10)
  const duration =
    parseQuerySeconds(request, 'duration', dialect.isPython ? 0 : 1e-9) ?? items.duration
  const delay = parseQuerySeconds(request, 'delay') ?? 0
  const jitter = parseFloatText(findParameter(request, 'jitter') ?? '0')
  if (jitter === undefined || jitter < 0 || jitter > 1) {
    throw badRequest('invalid jitter: must be a float in [0, 1]')
  }
  if (duration + delay > config.maxDurationSeconds)
    return renderAs(dialect.textType, 'Too much time\n', 400)
  if (delay > 0 && !(await wait(reply, delay * 1000))) return abandoned
  const pauseMs = toPause(duration, count)
  const toTimingTrailer = () =>
    toPacedTiming({ delay, duration, pauseMs }, (performance.now() - startedAt) / 1000)
  const body = paceItems(reply, { count, pauseMs, jitter }, items.toItem)
  return {
    ...renderAs(`${items.type}; charset=utf-8`, body),
    ...(items.type === eventType && { toTimingTrailer }),
  }
}

function sendTrailers(request: DialectRequest) {
  const { query } = request
  const [name] = query.find(([one]) => forbiddenTrailers.test(one)) ?? []
  if (name !== undefined) throw badRequest(`forbidden trailer: ${name}`)
  const response = renderJson(request, toRequestMembers(request, { hasBody: true }))
  // It is chunked even without trailers.
  return { ...response, body: Readable.from([response.body ?? '']), trailers: query }
}
