import type { FastifyInstance } from 'fastify'
import type { Server } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'

/** Not by `httpVersion`: a request line of HTTP/1.1 may claim 2.0. */
export function isHttp2(raw: object): boolean {
  return raw instanceof Http2ServerRequest
}

/** The client of another method that became HEAD expects a framed body: it gets length 0. */
export function frameOverriddenHead(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { receivedMethod, method } = request.raw
    if (receivedMethod === undefined || method !== 'HEAD' || receivedMethod === 'HEAD') {
      done(null, payload)
      return
    }
    if (payload instanceof Readable) payload.destroy()
    reply.header('content-length', '0')
    done(null, '')
  })
}

/** Kept-alive connections of HTTP/1.1 would delay the shutdown. HTTP/2 has no Connection (RFC 9113 §8.2.2). */
export function closeConnectionsOnShutdown(app: FastifyInstance): void {
  let isClosing = false
  keepSendingConnections(app.server)
  app.addHook('preClose', (done) => {
    isClosing = true
    closeIdleConnections(app.server)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isHttp2(request.raw)) reply.removeHeader('connection').removeHeader('upgrade')
    // Node loses what is pipelined behind a request for an upgrade that it ignores (RFC 9110 §7.8).
    else if (isClosing || request.raw.headers.upgrade !== undefined)
      reply.header('connection', 'close')
    done(null, payload)
  })
}

/**
 * Node treats a connection as idle whose response is written but not yet received. While there is one,
 * no connection is closed: the shutdown waits for it anyway.
 */
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

/** Responses begun before the shutdown lack `connection: close`. */
function closeIdleConnections(server: Server): void {
  if (!server.listening) return
  const timer = setInterval(() => {
    server.closeIdleConnections()
  }, 50).unref()
  server.once('close', () => {
    clearInterval(timer)
  })
}
