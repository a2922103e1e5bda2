import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serviceUnavailable } from '../../http/errors/http-error.ts'
import { isHttp2 } from '../../http/request/target.ts'
import { isClosed } from '../../http/response/finish-responses.ts'
import type { ChangeLog } from '../../stores/records/records.ts'

/** In this process: each holds at most 64 KiB and one record. */
const maxEventStreams = 1000

let count = 0

export type OpenStream = ReturnType<typeof createAlarm>

/** Returns what counts a stream until its client disconnects or the service stops. */
export function createStreamCount(app: FastifyInstance) {
  const streams = new Set<OpenStream>()
  let isStopping = false
  app.addHook('preClose', (done) => {
    isStopping = true
    for (const { stop } of streams) stop()
    done()
  })
  return ({ raw }: FastifyRequest, reply: FastifyReply, watch: ChangeLog['watch']): OpenStream => {
    if (count >= maxEventStreams) throw serviceUnavailable('Too many event streams are open.')
    const stream = createAlarm()
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

function createAlarm() {
  let [isRinging, isStopped] = [false, false]
  let wake: () => void = () => undefined
  const ring = () => {
    isRinging = true
    wake()
  }
  return {
    ring,
    stop: () => {
      isStopped = true
      ring()
    },
    isStopped: () => isStopped,
    /** Whether it rang since the last call, or rings in this time. */
    hasRung: async (ms: number): Promise<boolean> => {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const timer = setTimeout(resolve, ms, undefined)
      wake = () => {
        resolve(undefined)
      }
      if (isRinging) wake()
      await promise
      clearTimeout(timer)
      const hasRung = isRinging
      isRinging = false
      return hasRung
    },
  }
}
