import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { maxRequestsOfConnection } from '../config/limits.ts'
import { isHttp2 } from '../http/request/target.ts'
import { respondToClientError } from './connection-errors.ts'
import type { ClientError, HttpConnection, RequestLog } from './connection-errors.ts'
import { performance, setTimeout } from '../timers.ts'

type RequestPair = readonly [request: IncomingMessage, response: ServerResponse]
export interface RequestHandler {
  routing: (...exchange: RequestPair) => void
  /** Called for a request that waits for others. */
  receive?: (request: IncomingMessage) => void
  /** Called for a request that is never handled, after those of its connection that were. */
  discard?: (request: IncomingMessage) => void
  log?: RequestLog
}

interface RequestQueue {
  response: ServerResponse
  waiting: RequestPair[]
  isClosing: boolean
  resumeParser?: () => void
  resumedAt: number
  startTimeout?: (() => void) | undefined
}

declare module 'node:net' {
  interface Socket {
    /** A property takes less time than a WeakMap. */
    requestQueue?: RequestQueue
    parser?: NonNullable<HttpConnection['parser']> | null
    /** Over TLS, this is the TCP socket. */
    _parent?: Socket
    /** It has the number of bytes that Node has not yet given to the operating system. */
    _handle?: { writeQueueSize: number } | null
  }
}

/** llhttp stops at any other number than 0, 1, 2 and 21 from the callback for the end of a head. */
const parserError = -1

const ignore = (): void => undefined

/**
 * Node removes its own listener for errors from a socket that it passes to 'connect' or 'upgrade', and an
 * error without a listener ends the process. Node destroys a socket with an error in any case.
 */
export function ignoreSocketErrors(server: Server): void {
  const add = (socket: Socket) => socket.on('error', ignore)
  server.on('connection', add).on('secureConnection', add)
}

/** Handles one request of an HTTP/1.1 connection at a time: a client may send many and never read. */
export function serializePipelining(server: Server, handler: RequestHandler): void {
  server.removeAllListeners('request').on('request', (request, response) => {
    if (isHttp2(request)) {
      handler.routing(request, response)
      return
    }
    const { socket } = request
    const queue = socket.requestQueue
    if (queue === undefined) {
      socket.requestQueue = { response, waiting: [], isClosing: false, resumedAt: -Infinity }
      handler.routing(request, response)
    } else if (queue.waiting.length === 0 && queue.response.writableFinished) {
      queue.response = response
      queue.resumedAt = -Infinity
      handler.routing(request, response)
    } else addWaiting(queue, [request, response], handler)
  })
  restartTimeouts(server, handler)
}

function addWaiting(queue: RequestQueue, exchange: RequestPair, handler: RequestHandler): void {
  const { waiting } = queue
  const [request] = exchange
  handler.receive?.(request)
  if (waiting.push(exchange) === 1) handleWaiting(request.socket, queue, handler)
  if (waiting.length === maxRequestsOfConnection) closeAtNextRequest(request.socket, queue, handler)
}

/**
 * The 64 KiB that Node reads at once can hold thousands of heads, and an error is all that stops its parser: a paused
 * socket is parsed to the end of what was read, with memory for each request, and a destroyed one loses the responses
 * that it waits for. Node has no public way to return an error to the parser.
 */
function closeAtNextRequest(socket: Socket, queue: RequestQueue, handler: RequestHandler): void {
  const { parser } = socket
  if (!parser) return
  const { onIncoming } = parser
  queue.resumeParser = () => {
    parser.onIncoming = onIncoming
  }
  parser.onIncoming = (request) => {
    queue.isClosing = true
    // For a request with Upgrade, and for CONNECT, llhttp does not report the error, and Node goes on.
    Object.assign(request, { upgrade: false })
    handler.discard?.(request)
    const last = queue.waiting.at(-1)?.[1] ?? queue.response
    last.shouldKeepAlive = false
    return parserError
  }
}

function handleWaiting(socket: Socket, queue: RequestQueue, handler: RequestHandler): void {
  const { waiting } = queue
  const pause = () => socket.pause()
  const handleNext = () => {
    // RFC 9112 §9.6: nothing is handled behind a response that closes the connection.
    const next = socket.writable ? waiting.shift() : undefined
    if (next === undefined) {
      for (const [request] of waiting.splice(0)) handler.discard?.(request)
      return
    }
    queue.response = next[1]
    if (waiting.length > 0) queue.response.once('close', handleNext)
    else if (!queue.isClosing) {
      queue.resumeParser?.()
      socket.off('resume', pause).resume()
      queue.resumedAt = performance.now()
      queue.startTimeout?.()
    }
    handler.routing(...next)
  }
  queue.response.once('close', handleNext)
  socket.on('resume', pause).pause()
}

/** Node reports each timeout once, also of a paused connection. Here it starts anew on resuming. */
function restartTimeouts(server: Server, handler: RequestHandler): void {
  server.removeAllListeners('clientError')
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const queue = socket.requestQueue
    if (queue?.isClosing) return
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || queue === undefined) {
      respondToClientError(error, socket, handler.log)
      return
    }
    const last = findLast(queue)
    const isBody = !last.complete
    const limitMs = isBody ? server.requestTimeout : server.headersTimeout
    queue.startTimeout = () => {
      queue.startTimeout = undefined
      const restMs = Math.max(queue.resumedAt + limitMs - performance.now(), 0)
      setTimeout(() => {
        if (isBody ? !last.complete : findLast(queue) === last)
          respondToClientError(error, socket, handler.log)
      }, restMs).unref()
    }
    if (queue.waiting.length === 0) queue.startTimeout()
  })
}

function findLast({ waiting, response }: RequestQueue): IncomingMessage {
  return waiting.at(-1)?.[0] ?? response.req
}

/** Node's timeout also covers the first head, which has HEADERS_SECONDS: that connection stays. */
export function endStalledConnections(server: Server): void {
  server.on('timeout', (connection: Socket & HttpConnection) => {
    // Between two responses the timeout is that of keep-alive.
    if (connection.writableLength > 0) connection.destroy()
    else if (!connection._httpMessage && connection.requestQueue) connection.destroy()
  })
}
