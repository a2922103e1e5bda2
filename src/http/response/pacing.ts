import type { FastifyReply } from 'fastify'
import { isHttp2 } from '../request/target.ts'
import { isClosed } from './observe-response.ts'
import { clearTimeout, performance, setTimeout } from '../../timers.ts'

/** Resolves after this time, or to false as soon as the client has gone, without a timer behind it. */
export function wait({ request, raw: response }: FastifyReply, ms: number): Promise<boolean> {
  // The service keeps a connection whose client has ended its half; here that client has gone.
  const socket = isHttp2(request.raw) ? undefined : request.raw.socket
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const end = (isOpen: boolean) => {
    clearTimeout(timer)
    response.off('close', leave)
    socket?.off('end', leave)
    resolve(isOpen)
  }
  const leave = () => {
    end(false)
    response.destroy()
  }
  const timer = setTimeout(end, Math.max(ms, 0), true)
  response.once('close', leave)
  socket?.once('end', leave)
  if (isClosed(response) || socket?.readableEnded === true) leave()
  return promise
}

export interface Pace {
  count: number
  pauseMs: number
  /** The part of a pause by which it may be shorter or longer. */
  jitter?: number
  /** At most so many items are due at once, so that other requests get their turn. */
  batch?: number
}

export async function* pace(
  reply: FastifyReply,
  { count, pauseMs, jitter = 0, batch = 256 }: Pace,
): AsyncGenerator<{ start: number; end: number }> {
  let dueAt = performance.now()
  let start = 0
  while (start < count) {
    const now = performance.now()
    let end = start
    while (end < Math.min(start + batch, count) && dueAt <= now) {
      end += 1
      dueAt += pauseMs * (1 + jitter * (2 * Math.random() - 1))
    }
    if (end > start) yield { start, end }
    start = end
    if (start < count && !(await wait(reply, Math.max(dueAt - performance.now(), 0)))) return
  }
}

export async function* paceItems<Item>(
  reply: FastifyReply,
  given: Pace,
  toItem: (index: number) => Item,
): AsyncGenerator<Item> {
  for await (const { start, end } of pace(reply, given)) {
    for (let index = start; index < end; index += 1) yield toItem(index)
  }
}

export function toPause(seconds: number, count: number): number {
  return (seconds * 1000) / Math.max(count - 1, 1)
}
