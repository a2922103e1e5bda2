import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isHttp2 } from '../http/response/framing.ts'

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]
type RequestListener = (...exchange: Exchange) => void

/** The requests of one connection. */
interface RequestQueue {
  /** Of the request that is being handled, or that was handled last. */
  response: ServerResponse
  waiting: Exchange[]
}

/** More than this on one connection end it: 64 KiB, which Node reads at once, may hold thousands. */
const maxWaiting = 100

/**
 * Makes the server handle one request of an HTTP/1.1 connection at a time. Node emits each pipelined
 * request as soon as it is parsed, so a client that never reads would have all responses in memory.
 * While a request waits, nothing more is read from its connection.
 */
export function serializePipelining(server: Server): void {
  const [handle = () => undefined] = server.listeners('request') as RequestListener[]
  const turnsOf = new WeakMap<Socket, RequestQueue>()
  server.removeAllListeners('request').on('request', (...exchange: Exchange) => {
    const [request, response] = exchange
    const turns = turnsOf.get(request.socket)
    const isFree = turns?.waiting.length === 0 && turns.response.writableFinished
    if (isHttp2(request)) handle(...exchange)
    else if (turns === undefined || isFree) {
      turnsOf.set(request.socket, { response, waiting: [] })
      handle(...exchange)
    } else if (turns.waiting.push(exchange) === 1) handleWaiting(request.socket, turns, handle)
    else if (turns.waiting.length > maxWaiting) request.socket.destroy()
  })
}

function handleWaiting(socket: Socket, turns: RequestQueue, handle: RequestListener): void {
  const { waiting } = turns
  // The end of a request that was read resumes its connection.
  const pause = () => socket.pause()
  const handleNext = () => {
    // RFC 9112 §9.6: nothing is handled behind a response that closes the connection.
    const next = socket.writable ? waiting.shift() : undefined
    if (next === undefined) return
    turns.response = next[1]
    if (waiting.length > 0) turns.response.once('close', handleNext)
    else socket.off('resume', pause).resume()
    handle(...next)
  }
  turns.response.once('close', handleNext)
  socket.on('resume', pause).pause()
}
