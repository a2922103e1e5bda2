import type { FastifyInstance } from 'fastify'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clearInterval, setInterval } from '../timers.ts'

/** Kept-alive connections would delay the shutdown. Returns whether it has begun. */
export function closeConnectionsOnShutdown(app: FastifyInstance): () => boolean {
  const { server } = app
  let isClosing = false
  const sockets = trackSockets(server)
  app.addHook('preClose', (done) => {
    isClosing = true
    for (const [socket, isHandshake] of sockets) if (isHandshake) socket.destroy()
    if (server.listening) {
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

/** The open sockets, and whether each is in a TLS handshake, which Fastify does not end. */
function trackSockets(server: Server): ReadonlyMap<Socket, boolean> {
  const sockets = new Map<Socket, boolean>()
  const add = (socket: Socket, isHandshake: boolean) => {
    sockets.set(socket, isHandshake)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', (socket) => {
    add(socket, 'setSecureContext' in server)
  })
  server.on('secureConnection', (socket: Socket & { _parent: Socket }) => {
    sockets.set(socket._parent, false)
    add(socket, false)
  })
  // Node treats a connection as idle before the client has received the written response.
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (!sockets.keys().some(({ writableLength }) => writableLength > 0)) closeIdle()
  }
  return sockets
}
