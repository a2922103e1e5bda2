import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'

/** Not by `httpVersion`: a request line of HTTP/1.1 may claim 2.0. */
export function isHttp2(raw: object): boolean {
  return raw instanceof Http2ServerRequest
}

export function frameHead({ raw }: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { method, receivedMethod = method } = raw
  const isNotModified = reply.statusCode === 304
  if (method !== 'HEAD' || (receivedMethod === 'HEAD' && !isNotModified)) return payload
  if (payload instanceof Readable) payload.destroy()
  // RFC 9110 §8.6: Fastify would set the length of anything but a stream.
  if (isNotModified) return Readable.from([])
  // The client of another method that became HEAD expects a framed body.
  reply.header('content-length', '0')
  return ''
}

/** Kept-alive connections would delay the shutdown. Returns whether it has begun. */
export function closeConnectionsOnShutdown(app: FastifyInstance): () => boolean {
  const { server } = app
  let isClosing = false
  keepSendingConnections(server)
  app.addHook('preClose', (done) => {
    isClosing = true
    if (server.listening) {
      // Responses begun before the shutdown lack `connection: close`.
      const timer = setInterval(() => {
        server.closeIdleConnections()
      }, 50).unref()
      server.once('close', () => {
        clearInterval(timer)
      })
    }
    done()
  })
  return () => isClosing
}

/** To Node, a connection is idle whose response is written but not yet received. */
function keepSendingConnections(server: Server): void {
  const sockets = new Set<Socket>()
  const add = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', add).on('secureConnection', add)
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (![...sockets].some(({ writableLength }) => writableLength > 0)) closeIdle()
  }
}
