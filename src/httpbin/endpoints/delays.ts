import { badRequest } from '../../http/errors/http-error.ts'
import { forAny, type BinRequest, type BinResponse, type Dialect } from '../dialect.ts'
import type { Endpoint } from '../dialect.ts'
import { pace, toPause, wait } from '../../http/response/pacing.ts'
import * as parameters from '../parameters.ts'
import { describe, renderJson } from '../render.ts'
import { parseStatus } from './status.ts'

export const delayEndpoints: readonly Endpoint[] = [
  {
    path: '/delay/:seconds',
    methods: forAny,
    summary: 'Respond after a delay',
    samples: { seconds: '0.1' },
    readsBody: true,
    handler: delay,
  },
  {
    path: '/drip',
    mediaTypes: ['application/octet-stream'],
    summary: 'Send bytes one at a time',
    parameters: parameters.toQuery({
      duration: ['The seconds between the first byte and the last.', '0.1'],
      numbytes: ['The number of bytes.', '3'],
      delay: ['The seconds before the response.', '0'],
      code: ['The status code.', '200'],
    }),
    handler: drip,
  },
]

async function delay(request: BinRequest, dialect: Dialect): Promise<BinResponse> {
  const { maxDurationSeconds: max } = request.config
  const bounds = { name: 'duration', max: dialect.isPython ? Infinity : max }
  const given = parameters.parseSeconds(request.parameters[0] ?? '', dialect, bounds)
  const seconds = Math.min(given, max)
  if (!(await wait(request.reply, seconds * 1000))) return { status: 499 }
  const members = describe(request, dialect, { hasBody: true })
  if (dialect.isPython) members.delete('json')
  const timing = parameters.toServerTiming([['initial_delay', seconds, 'initial delay']])
  return { ...renderJson(dialect, members), ...(!dialect.isPython && { timing }) }
}

async function drip(request: BinRequest, dialect: Dialect): Promise<BinResponse> {
  const duration = parameters.parseQuerySeconds(request, dialect, { name: 'duration' }) ?? 2
  const initial =
    parameters.parseQuerySeconds(request, dialect, { name: 'delay' }) ?? (dialect.isPython ? 0 : 2)
  const size = parseSize(request, dialect)
  const code = parameters.findParameter(request, dialect, 'code')
  const status = code === undefined ? 200 : parseStatus(code, dialect)
  if (size <= 0) throw badRequest('number of bytes must be positive')
  assertDuration(request, [duration, initial])
  const pauseMs = dialect.isPython ? (duration * 1000) / size : toPause(duration, size)
  if (initial > 0 && !(await wait(request.reply, initial * 1000))) return { status: 499 }
  const timing = parameters.toServerTiming([
    ['total_duration', initial + duration, 'total request duration'],
    ['initial_delay', initial, 'initial delay'],
    ['write_duration', duration, 'duration of writes after initial delay'],
    ['pause_per_write', pauseMs / 1000, 'computed pause between writes'],
  ])
  const type = dialect.isPython ? 'application/octet-stream' : dialect.textType
  const body = drops(request.reply, { count: size, pauseMs, batch: 16_384 })
  return {
    status,
    headers: [['Content-Type', type]],
    size,
    body,
    ...(!dialect.isPython && { timing }),
  }
}

async function* drops(...given: Parameters<typeof pace>) {
  for await (const { start, end } of pace(...given)) yield '*'.repeat(end - start)
}

function parseSize(request: BinRequest, dialect: Dialect): number {
  const { maxBodyBytes: max } = request.config
  const size = parameters.parseQueryInteger(request, dialect, { name: 'numbytes' }) ?? 10
  if (dialect.isPython) return Math.min(size, max)
  if (size >= 1 && size <= max) return size
  throw badRequest(`invalid numbytes: ${String(size)} not in range [1, ${String(max)}]`)
}

/** Throws 400. */
function assertDuration({ config }: BinRequest, seconds: readonly number[]): void {
  const { maxDurationSeconds: max } = config
  if (seconds.reduce((sum, one) => sum + one) <= max) return
  const terms = seconds.map(parameters.toGoDuration).join('+')
  throw badRequest(`too much time: ${terms} > ${parameters.toGoDuration(max)}`)
}
