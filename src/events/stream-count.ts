import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatNumber } from '../config/format-count.ts'
import { maxEventStreams } from '../config/limits.ts'
import { serviceUnavailable } from '../http/errors/http-error.ts'
import { isHttp2 } from '../http/request/target.ts'
import { isClosed } from '../http/response/observe-response.ts'
import { clearTimeout, setTimeout } from '../timers.ts'
import type { EventLog } from './event-log.ts'

let count = 0

export type Alarm = ReturnType<typeof createAlarm>

/** Counts the requests that wait for events. Each has an alarm that rings when it is time to read. */
export function createStreamCount(app: FastifyInstance) {
  const streams = new Set<Alarm>()
  let isStopping = false
  app.addHook('preClose', (done) => {
    isStopping = true
    for (const { stop } of streams) stop()
    done()
  })
  return (
    { raw }: FastifyRequest,
    reply: FastifyReply,
    watch: EventLog<unknown>['watch'],
  ): Alarm => {
    if (count >= maxEventStreams)
      throw serviceUnavailable(
        `${formatNumber(maxEventStreams)} event streams are open, the maximum.`,
      )
    const stream = createAlarm(() => app.findBlock(raw) !== undefined)
    const unwatch = watch(stream.ring)
    // The service keeps a connection whose client has ended its half; here that client has gone.
    const socket = isHttp2(raw) ? undefined : raw.socket
    const close = () => {
      if (!streams.delete(stream)) return
      count -= 1
      socket?.off('end', close)
      stream.stop()
      unwatch()
    }
    count += 1
    streams.add(stream)
    socket?.once('end', close)
    reply.raw.once('close', close)
    if (isClosed(reply.raw)) close()
    else if (isStopping) stream.stop()
    return stream
  }
}

function createAlarm(isBlocked: () => boolean) {
  let isStopped = false
  let bell = Promise.withResolvers<boolean>()
  const ring = () => {
    bell.resolve(true)
  }
  return {
    ring,
    stop: () => {
      isStopped = true
      ring()
    },
    isStopped: () => isStopped || isBlocked(),
    hasRung: async (ms: number): Promise<boolean> => {
      const timer = setTimeout(bell.resolve, ms, false)
      const hasRung = await bell.promise
      clearTimeout(timer)
      bell = Promise.withResolvers()
      return hasRung
    },
  }
}
