import { badRequest } from '../../http/errors/http-error.ts'
import { queryParameters } from '../../http/openapi/content.ts'
import { pace, paceItems, toPause, wait } from '../../http/response/pacing.ts'
import {
  forbiddenTrailers,
  type VisitorResponse,
} from '../../http/response/send-visitor-response.ts'
import type { DialectRequest } from '../dialect.ts'
import { forAny, toEndpoint } from '../endpoint.ts'
import { toCompactJson } from '../json.ts'
import {
  findParameter,
  parseFloatText,
  parseQueryInteger,
  parseQuerySeconds,
  parseSeconds,
  toGoDuration,
} from '../parameters.ts'
import { renderJson, renderText, toRequestMembers } from '../render.ts'
import { parseStatus } from './status.ts'

const paced = queryParameters({
  count: ['The number of items.', '3'],
  duration: ['The seconds between the first item and the last.', '0.1'],
  delay: ['The seconds before the response.', '0'],
  jitter: ['By which part of itself a pause may be shorter or longer, from 0 to 1.', '0.5'],
})

export const timedEndpoints = [
  toEndpoint('/delay/:seconds=0.1', 'Respond after a delay', delay, {
    methods: forAny,
    readsBody: true,
  }),
  toEndpoint('/drip', 'Send bytes one at a time', drip, {
    mediaTypes: ['application/octet-stream'],
    parameters: queryParameters({
      duration: ['The seconds between the first byte and the last.', '0.1'],
      numbytes: ['The number of bytes.', '3'],
      delay: ['The seconds before the response.', '0'],
      code: ['The status code.', '200'],
    }),
  }),
  toEndpoint('/stream/:count=2', 'Stream lines of JSON', streamCount),
  toEndpoint('/sse', 'Stream server-sent events', streamEvents, {
    mediaTypes: ['text/event-stream'],
    parameters: paced,
  }),
  toEndpoint('/jsonl', 'Stream lines of JSON over a time', streamLines, {
    mediaTypes: ['application/x-ndjson'],
    parameters: paced,
  }),
  toEndpoint('/trailers', 'Send the query parameters as trailers', sendTrailers, {
    methods: forAny,
    readsBody: true,
  }),
]

const toMetric = (name: string, seconds: number, description: string) =>
  `${name};dur=${(seconds * 1000).toFixed(2)};desc="${description}"`

/** In seconds, apart from the pause. */
interface Timing {
  delay: number
  duration: number
  pauseMs: number
}

/** The value of Server-Timing for a body that is sent in parts. */
function toPacedTiming({ delay, duration, pauseMs }: Timing, total = delay + duration): string {
  return [
    toMetric('total_duration', total, 'total request duration'),
    toMetric('initial_delay', delay, 'initial delay'),
    toMetric('write_duration', duration, 'duration of writes after initial delay'),
    toMetric('pause_per_write', pauseMs / 1000, 'computed pause between writes'),
  ].join(', ')
}

/** The client has gone. */
const abandoned: VisitorResponse = { status: 499 }

async function delay(request: DialectRequest, text: string): Promise<VisitorResponse> {
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

async function drip(request: DialectRequest): Promise<VisitorResponse> {
  const { isPython, textType } = request.dialect
  const duration = parseQuerySeconds(request, 'duration') ?? 2
  const delay = parseQuerySeconds(request, 'delay') ?? (isPython ? 0 : 2)
  const size = parseSize(request)
  const status = parseStatus(findParameter(request, 'code') ?? '200', request.dialect)
  if (size <= 0) throw badRequest('number of bytes must be positive')
  assertDuration(request, [duration, delay])
  const pauseMs = isPython ? (duration * 1000) / size : toPause(duration, size)
  if (delay > 0 && !(await wait(request.reply, delay * 1000))) return abandoned
  return {
    status,
    headers: [['Content-Type', isPython ? 'application/octet-stream' : textType]],
    size,
    body: drops(request.reply, { count: size, pauseMs, batch: 16_384 }),
    ...(!isPython && { timing: toPacedTiming({ delay, duration, pauseMs }) }),
  }
}

async function* drops(...given: Parameters<typeof pace>) {
  for await (const { start, end } of pace(...given)) yield '*'.repeat(end - start)
}

function parseSize(request: DialectRequest): number {
  const { maxBodyBytes: max } = request.config
  const size = parseQueryInteger(request, 'numbytes') ?? 10
  if (request.dialect.isPython) return Math.min(size, max)
  if (size >= 1 && size <= max) return size
  throw badRequest(`invalid numbytes: ${String(size)} not in range [1, ${String(max)}]`)
}

/** Throws 400. */
function assertDuration({ config }: DialectRequest, seconds: readonly number[]): void {
  const { maxDurationSeconds: max } = config
  if (seconds.reduce((sum, one) => sum + one) <= max) return
  const terms = seconds.map(toGoDuration).join('+')
  throw badRequest(`too much time: ${terms} > ${toGoDuration(max)}`)
}

function streamCount(request: DialectRequest, text: string): VisitorResponse {
  const { isPython, jsonType, textType, parseInteger } = request.dialect
  const count = Math.min(Math.max(parseInteger(text, 'count'), isPython ? 0 : 1), 100)
  // Go detects that it is text.
  const type = isPython ? jsonType : textType
  const body = paceItems(request.reply, { count, pauseMs: 0 }, createLine(request))
  return { headers: [['Content-Type', type]], body }
}

/** After the name of the member. In a text of the request, that would have escaped quotation marks. */
const idMark = '-0.123456789'

/** Serializes the request once: the lines differ by their id only. */
function createLine(request: DialectRequest): (id: number) => string {
  const { isPython, jsonStyle } = request.dialect
  const all = toRequestMembers(request).set('id', Number(idMark))
  const names = isPython
    ? ['url', 'args', 'headers', 'origin', 'id']
    : ['id', 'args', 'headers', 'origin', 'url']
  const mark = `"id"${jsonStyle.compact[1]}`
  const [start = '', end = ''] = toCompactJson(
    new Map(names.map((name) => [name, all.get(name)])),
    {
      ...jsonStyle,
      ...(isPython ? { sortsMaps: false } : { escaped: /[<>&\u2028\u2029\ufffd]/g }),
    },
  ).split(mark + idMark)
  return (id) => `${start}${mark}${String(id)}${end}\n`
}

interface Items {
  type: string
  /** If the request has none. */
  duration: number
  toCount: (given: number) => number
  toItem: (id: number) => string
  hasTiming?: boolean
}

/** The size of an event, by which MAX_BODY_BYTES limits their number. */
const eventBytes = 56

function streamEvents(request: DialectRequest): Promise<VisitorResponse> {
  const max = Math.floor(request.config.maxBodyBytes / eventBytes)
  const toCount = (count: number) => {
    if (count >= 1 && count <= max) return count
    throw badRequest(`invalid count: must in range [1, ${String(max)}]`)
  }
  const toItem = (id: number) =>
    `event: ping\ndata: ${JSON.stringify({ id, timestamp: Date.now() })}\n\n`
  const type = 'text/event-stream; charset=utf-8'
  return streamItems(request, { type, duration: 5, toCount, toItem, hasTiming: true })
}

/** The smallest size of a line, by which MAX_BODY_BYTES limits their number. */
const lineBytes = 172

function streamLines(request: DialectRequest): Promise<VisitorResponse> {
  const toItem = createLine(request)
  const size = Math.max(Buffer.byteLength(toItem(0)), lineBytes)
  const max = Math.max(Math.floor(request.config.maxBodyBytes / size), 1)
  const toCount = (count: number) => Math.min(Math.max(count, 1), max)
  const type = 'application/x-ndjson; charset=utf-8'
  return streamItems(request, { type, duration: 0, toCount, toItem })
}

async function streamItems(request: DialectRequest, items: Items): Promise<VisitorResponse> {
  const startedAt = performance.now()
  const { reply, config } = request
  const count = items.toCount(parseQueryInteger(request, 'count', 'Atoi') ?? 10)
  const duration = parseQuerySeconds(request, 'duration', true) ?? items.duration
  const delay = parseQuerySeconds(request, 'delay') ?? 0
  const jitter = parseFloatText(findParameter(request, 'jitter') ?? '0')
  if (jitter === undefined || jitter < 0 || jitter > 1) {
    throw badRequest('invalid jitter: must be a float in [0, 1]')
  }
  if (duration + delay > config.maxDurationSeconds)
    return renderText(request, 'Too much time\n', 400)
  if (delay > 0 && !(await wait(reply, delay * 1000))) return abandoned
  const pauseMs = toPause(duration, count)
  const toTimingTrailer = () =>
    toPacedTiming({ delay, duration, pauseMs }, (performance.now() - startedAt) / 1000)
  return {
    headers: [['Content-Type', items.type]],
    body: paceItems(reply, { count, pauseMs, jitter }, items.toItem),
    ...(items.hasTiming && { toTimingTrailer }),
  }
}

function sendTrailers(request: DialectRequest): VisitorResponse {
  const { query } = request
  const [name] = query.find(([one]) => forbiddenTrailers.test(one)) ?? []
  if (name !== undefined) throw badRequest(`forbidden trailer: ${name}`)
  const response = renderJson(request, toRequestMembers(request, { hasBody: true }))
  return { ...response, trailers: query }
}
