import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isHttp2 } from '../http/node-http.ts'
import { respondToClientError, type ClientError } from './connection-errors.ts'

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]
export type RequestListener = (...exchange: Exchange) => void

interface RequestQueue {
  response: ServerResponse
  waiting: Exchange[]
  isClosing: boolean
  resumedAt: number
  /** Starts the timeout that Node reported while the connection was paused. */
  startTimeout?: (() => void) | undefined
}

/** Further requests of a connection are ignored: the 64 KiB that Node reads at once can hold thousands. */
const maxWaiting = 100

/** Handles one request of an HTTP/1.1 connection at a time: a client may send many and never read. */
export function serializePipelining(server: Server, handle: RequestListener): void {
  const queues = new WeakMap<Socket, RequestQueue>()
  server.removeAllListeners('request').on('request', (request, response) => {
    const queue = queues.get(request.socket)
    if (isHttp2(request)) handle(request, response)
    else if (queue === undefined) {
      const waiting: Exchange[] = []
      queues.set(request.socket, { response, waiting, isClosing: false, resumedAt: -Infinity })
      handle(request, response)
    } else if (queue.waiting.length === 0 && queue.response.writableFinished) {
      queue.response = response
      queue.resumedAt = -Infinity
      handle(request, response)
    } else addWaiting(queue, [request, response], handle)
  })
  restartTimeouts(server, queues)
}

function addWaiting(queue: RequestQueue, exchange: Exchange, handle: RequestListener): void {
  if (queue.isClosing) return
  const { waiting } = queue
  if (waiting.length === maxWaiting) {
    queue.isClosing = true
    const [, last] = waiting[maxWaiting - 1] ?? exchange
    last.shouldKeepAlive = false
  } else if (waiting.push(exchange) === 1) handleWaiting(exchange[0].socket, queue, handle)
}

function handleWaiting(socket: Socket, queue: RequestQueue, handle: RequestListener): void {
  const { waiting } = queue
  // The end of a request that was read resumes its connection.
  const pause = () => socket.pause()
  const handleNext = () => {
    // RFC 9112 §9.6: nothing is handled behind a response that closes the connection.
    const next = socket.writable ? waiting.shift() : undefined
    if (next === undefined) return
    queue.response = next[1]
    if (waiting.length > 0) queue.response.once('close', handleNext)
    else if (!queue.isClosing) {
      socket.off('resume', pause).resume()
      queue.resumedAt = performance.now()
      queue.startTimeout?.()
    }
    handle(...next)
  }
  queue.response.once('close', handleNext)
  socket.on('resume', pause).pause()
}

/** Node reports each timeout once, also of a paused connection. Here it starts anew on resuming. */
function restartTimeouts(server: Server, queues: WeakMap<Socket, RequestQueue>): void {
  server
    .removeAllListeners('clientError')
    .on('clientError', (error: ClientError, socket: Socket) => {
      const queue = queues.get(socket)
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || queue === undefined) {
        respondToClientError(error, socket)
        return
      }
      const last = findLast(queue)
      // Otherwise the next head is arriving.
      const isBody = !last.complete
      const limitMs = isBody ? server.requestTimeout : server.headersTimeout
      queue.startTimeout = () => {
        queue.startTimeout = undefined
        const restMs = Math.max(queue.resumedAt + limitMs - performance.now(), 0)
        setTimeout(() => {
          if (isBody ? !last.complete : findLast(queue) === last)
            respondToClientError(error, socket)
        }, restMs).unref()
      }
      if (queue.waiting.length === 0) queue.startTimeout()
    })
}

function findLast({ waiting, response }: RequestQueue): IncomingMessage {
  return waiting.at(-1)?.[0] ?? response.req
}
