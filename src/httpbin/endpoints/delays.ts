import { badRequest } from '../../http/errors/http-error.ts'
import { queryParameters } from '../../http/openapi/content.ts'
import type { BinRequest, BinResponse } from '../dialect.ts'
import { forAny, toEndpoint, type Endpoint } from '../endpoint.ts'
import { pace, toPause, wait } from '../../http/response/pacing.ts'
import {
  findParameter,
  parseQueryInteger,
  parseQuerySeconds,
  parseSeconds,
  toGoDuration,
} from '../parameters.ts'
import { describe, renderJson } from '../render.ts'
import { toPacedTiming, toTiming } from '../timing.ts'
import { parseStatus } from './status.ts'

export const delayEndpoints: readonly Endpoint[] = [
  toEndpoint('/delay/:seconds', 'Respond after a delay', delay, {
    methods: forAny,
    samples: { seconds: '0.1' },
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
]

async function delay(request: BinRequest): Promise<BinResponse> {
  const { isPython } = request.dialect
  const { maxDurationSeconds: max } = request.config
  const bounds = { name: 'duration', max: isPython ? Infinity : max }
  const given = parseSeconds(request, request.parameters[0] ?? '', bounds)
  const seconds = Math.min(given, max)
  if (!(await wait(request.reply, seconds * 1000))) return { status: 499 }
  const members = describe(request, { hasBody: true })
  if (isPython) members.delete('json')
  return { ...renderJson(request, members), ...(!isPython && { timing: toTiming(seconds) }) }
}

async function drip(request: BinRequest): Promise<BinResponse> {
  const { isPython, textType } = request.dialect
  const duration = parseQuerySeconds(request, 'duration') ?? 2
  const delayed = parseQuerySeconds(request, 'delay') ?? (isPython ? 0 : 2)
  const size = parseSize(request)
  const code = findParameter(request, 'code')
  const status = code === undefined ? 200 : parseStatus(code, request.dialect)
  if (size <= 0) throw badRequest('number of bytes must be positive')
  assertDuration(request, [duration, delayed])
  const pauseMs = isPython ? (duration * 1000) / size : toPause(duration, size)
  if (delayed > 0 && !(await wait(request.reply, delayed * 1000))) return { status: 499 }
  const type = isPython ? 'application/octet-stream' : textType
  return {
    status,
    headers: [['Content-Type', type]],
    size,
    body: drops(request.reply, { count: size, pauseMs, batch: 16_384 }),
    ...(!isPython && { timing: toPacedTiming({ delay: delayed, duration, pauseMs }) }),
  }
}

async function* drops(...given: Parameters<typeof pace>) {
  for await (const { start, end } of pace(...given)) yield '*'.repeat(end - start)
}

function parseSize(request: BinRequest): number {
  const { maxBodyBytes: max } = request.config
  const size = parseQueryInteger(request, 'numbytes') ?? 10
  if (request.dialect.isPython) return Math.min(size, max)
  if (size >= 1 && size <= max) return size
  throw badRequest(`invalid numbytes: ${String(size)} not in range [1, ${String(max)}]`)
}

/** Throws 400. */
function assertDuration({ config }: BinRequest, seconds: readonly number[]): void {
  const { maxDurationSeconds: max } = config
  if (seconds.reduce((sum, one) => sum + one) <= max) return
  const terms = seconds.map(toGoDuration).join('+')
  throw badRequest(`too much time: ${terms} > ${toGoDuration(max)}`)
}
