import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { hasBody } from './body/body-reader.ts'
import { ServerResponse as NodeResponse } from './node-http.ts'
import { isHttp2, toPath } from './request/target.ts'

declare module 'node:http' {
  interface IncomingMessage {
    upgradeHead?: Buffer
    /** How its connection is closed when the service stops. Without it, it is destroyed. */
    closeUpgraded?: () => void
  }
  interface Server {
    shouldUpgradeCallback: (request: IncomingMessage) => boolean
  }
}

type PathTest = (path: string) => boolean

const upgradable = new WeakMap<Server, PathTest[]>()

/** At these paths, requests for a WebSocket are routed as others are. Elsewhere Upgrade is ignored. */
export function allowUpgrade(app: FastifyInstance, isAllowed: PathTest): void {
  const { server } = app
  const tests = upgradable.get(server) ?? []
  upgradable.set(server, tests)
  if (tests.push(isAllowed) > 1) return
  const open = new Map<Duplex, IncomingMessage>()
  app.addHook('preClose', (done) => {
    for (const [socket, { closeUpgraded }] of open)
      if (closeUpgraded) closeUpgraded()
      else socket.destroy()
    done()
  })
  server.shouldUpgradeCallback = (request) => {
    const { method, headers, url = '' } = request
    const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket'
    if (method !== 'GET' || !isWebSocket || hasBody(request)) return false
    return tests.some((isAllowed) => isAllowed(toPath(url)))
  }
  server.on('upgrade', (request, socket, head) => {
    open.set(socket, request)
    socket.on('close', () => open.delete(socket))
    routeUpgrade(app, { request, socket, head })
  })
}

interface Upgrade {
  request: IncomingMessage
  socket: Duplex & { _httpMessage?: ServerResponse | null }
  head: Buffer
}

function routeUpgrade(app: FastifyInstance, { request, socket, head }: Upgrade): void {
  // Its response would be sent within that of an earlier request.
  if (socket._httpMessage?.writableFinished === false || isHttp2(request)) {
    socket.destroy()
    return
  }
  request.upgradeHead = head
  const response = new NodeResponse(request)
  response.assignSocket(request.socket)
  // Node reads no further request of this connection.
  response.shouldKeepAlive = false
  response.once('finish', () => {
    request.socket.destroySoon()
  })
  app.routing(request, response)
}
