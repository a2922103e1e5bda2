import { badRequest } from '../../http/errors/http-error.ts'
import { queryParameters } from '../../http/openapi/content.ts'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { forAny, toEndpoint, type Endpoint } from '../endpoint.ts'
import { forbiddenTrailers } from '../../http/response/send-visitor-response.ts'
import { toCompactJson } from '../json.ts'
import { paceItems, toPause, wait, type Pace } from '../../http/response/pacing.ts'
import {
  findParameter,
  parseFloatText,
  parseQueryInteger,
  parseQuerySeconds,
} from '../parameters.ts'
import { describe, renderJson, renderText } from '../render.ts'
import { toPacedTiming } from '../timing.ts'

const paced = queryParameters({
  count: ['The number of items.', '3'],
  duration: ['The seconds between the first item and the last.', '0.1'],
  delay: ['The seconds before the response.', '0'],
  jitter: ['By which part of itself a pause may be shorter or longer, from 0 to 1.', '0.5'],
})

export const streamEndpoints: readonly Endpoint[] = [
  toEndpoint('/stream/:count', 'Stream lines of JSON', streamCount, { samples: { count: '2' } }),
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

function streamCount(request: BinRequest): BinResponse {
  const { isPython, jsonType, textType, parseInteger } = request.dialect
  const given = parseInteger(request.parameters[0] ?? '', 'count')
  const count = Math.min(Math.max(given, isPython ? 0 : 1), 100)
  // Go detects that it is text.
  const type = isPython ? jsonType : textType
  const body = paceItems(request.reply, { count, pauseMs: 0 }, createLine(request))
  return { headers: [['Content-Type', type]], body }
}

/** Serializes the request once: the lines differ by their id only. */
function createLine(request: BinRequest): (id: number) => string {
  const { isPython, jsonStyle } = request.dialect
  const mark = `"id"${jsonStyle.compact[1]}`
  const [start = '', end = ''] = toCompactJson(toMembers(request), {
    ...jsonStyle,
    ...(isPython ? { sortsMaps: false } : { escaped: /[<>&\u2028\u2029\ufffd]/g }),
  }).split(mark + idMark)
  return (id) => `${start}${mark}${String(id)}${end}\n`
}

/** After the name of the member. In a text of the request, that would have escaped quotation marks. */
const idMark = '-0.123456789'

function toMembers(request: BinRequest): Map<string, unknown> {
  const all = describe(request).set('id', Number(idMark))
  const names = request.dialect.isPython
    ? ['url', 'args', 'headers', 'origin', 'id']
    : ['id', 'args', 'headers', 'origin', 'url']
  return new Map(names.map((name) => [name, all.get(name)]))
}

interface Timing extends Pace {
  duration: number
  delay: number
}

/** Throws 400. */
function parseTiming(
  request: BinRequest,
  defaults: { duration: number; toCount: (given: number) => number },
): Timing | BinResponse {
  const count = defaults.toCount(parseQueryInteger(request, 'count', 'Atoi') ?? 10)
  const duration = parseQuerySeconds(request, 'duration', true) ?? defaults.duration
  const delay = parseQuerySeconds(request, 'delay') ?? 0
  const jitter = parseFloatText(findParameter(request, 'jitter') ?? '0')
  if (jitter === undefined || jitter < 0 || jitter > 1) {
    throw badRequest('invalid jitter: must be a float in [0, 1]')
  }
  if (duration + delay > request.config.maxDurationSeconds) {
    return renderText(request, 'Too much time\n', 400)
  }
  return { duration, delay, jitter, count, pauseMs: toPause(duration, count) }
}

/** The size of an event, by which MAX_BODY_BYTES limits their number. */
const eventBytes = 56

async function streamEvents(request: BinRequest): Promise<BinResponse> {
  const startedAt = performance.now()
  const max = Math.floor(request.config.maxBodyBytes / eventBytes)
  const toCount = (count: number) => {
    if (count >= 1 && count <= max) return count
    throw badRequest(`invalid count: must in range [1, ${String(max)}]`)
  }
  const timing = parseTiming(request, { duration: 5, toCount })
  if (!('duration' in timing)) return timing
  if (timing.delay > 0 && !(await wait(request.reply, timing.delay * 1000))) return { status: 499 }
  const body = paceItems(request.reply, timing, (id) => {
    return `event: ping\ndata: ${JSON.stringify({ id, timestamp: Date.now() })}\n\n`
  })
  return {
    headers: [['Content-Type', 'text/event-stream; charset=utf-8']],
    body,
    toTimingTrailer: () =>
      toPacedTiming({ ...timing, total: (performance.now() - startedAt) / 1000 }),
  }
}

/** The smallest size of a line, by which MAX_BODY_BYTES limits their number. */
const lineBytes = 172

async function streamLines(request: BinRequest): Promise<BinResponse> {
  const toLine = createLine(request)
  const size = Math.max(Buffer.byteLength(toLine(0)), lineBytes)
  const max = Math.max(Math.floor(request.config.maxBodyBytes / size), 1)
  const toCount = (count: number) => Math.min(Math.max(count, 1), max)
  const timing = parseTiming(request, { duration: 0, toCount })
  if (!('duration' in timing)) return timing
  if (timing.delay > 0 && !(await wait(request.reply, timing.delay * 1000))) return { status: 499 }
  const headers = [['Content-Type', 'application/x-ndjson; charset=utf-8']] as const
  return { headers, body: paceItems(request.reply, timing, toLine) }
}

function sendTrailers(request: BinRequest): BinResponse {
  const { query } = request
  const [name] = query.find(([one]) => forbiddenTrailers.test(one)) ?? []
  if (name !== undefined) throw badRequest(`forbidden trailer: ${name}`)
  const response = renderJson(request, describe(request, { hasBody: true }))
  return { ...response, trailers: query }
}
