import type { FastifyInstance } from 'fastify'
import type { Server } from 'node:http'
import { Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'

/** Whether the request came over HTTP/2; a request line of HTTP/1.1 may say so too, and lie. */
export function isHttp2(raw: object): boolean {
  return raw instanceof Http2ServerRequest
}

/** A HEAD that came as something else has no body, and its client does not know: length 0. */
export function frameOverriddenHead(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { receivedMethod, method } = request.raw
    if (receivedMethod === undefined || method !== 'HEAD' || receivedMethod === 'HEAD') {
      done(null, payload)
      return
    }
    if (payload !== null && typeof payload === 'object' && 'destroy' in payload) {
      ;(payload as { destroy: () => void }).destroy()
    }
    reply.header('content-length', '0')
    done(null, '')
  })
}

/**
 * Connections of HTTP/1.1 are closed once the service is closing, which would otherwise wait for
 * all that are kept alive. HTTP/2 has no fields about its connection (RFC 9113 §8.2.2).
 */
export function closeConnectionsOnShutdown(app: FastifyInstance): void {
  let isClosing = false
  keepSendingConnections(app.server)
  app.addHook('preClose', (done) => {
    isClosing = true
    closeIdle(app.server)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isHttp2(request.raw)) reply.removeHeader('connection').removeHeader('upgrade')
    else if (isClosing) reply.header('connection', 'close')
    done(null, payload)
  })
}

/**
 * Node takes a connection for idle whose answer has been written and not yet been taken by the client.
 * While there is one no connection is closed: to stop has to wait for it in any case.
 */
function keepSendingConnections(server: Server): void {
  const sockets = new Set<Socket>()
  const follow = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', follow).on('secureConnection', follow)
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    const isSending = [...sockets].some(({ writableLength }) => writableLength > 0)
    if (!isSending) closeIdleConnections()
  }
}

/** An answer that had begun before does not say so, and its connection would be kept for a minute. */
function closeIdle(server: Server): void {
  if (!server.listening) return
  const timer = setInterval(() => {
    server.closeIdleConnections()
  }, 50).unref()
  server.once('close', () => {
    clearInterval(timer)
  })
}
