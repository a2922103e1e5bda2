import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { HttpError } from '../errors/http-error.ts'

declare module 'node:http' {
  interface IncomingMessage {
    /** While the request is routed to another route than that of its path. */
    routedFrom?: { url: string; method: string }
  }
}

/** Takes requests before they are routed. */
export interface Interceptor {
  /** Calls `route` for a request that it responds to, and `next` for any other. */
  intercept: (raw: IncomingMessage, steps: Steps) => void
  /** The methods of a path, in addition to those of its routes. */
  findMethods: (path: string) => readonly string[]
  /** Adds to a 404 why nothing has taken the request. */
  explain: (error: HttpError, raw: IncomingMessage) => HttpError
}

interface Steps {
  route: () => void
  next: () => void
  /** Whether the request gets an error before its body is read. */
  isDecided: (raw: IncomingMessage) => boolean | Promise<boolean>
}

/** The router finds this route, and all that follows sees the request as it was sent. */
export function routeTo(raw: IncomingMessage, url: string, route: () => void): void {
  const { method = '' } = raw
  raw.routedFrom = { url: raw.url ?? '', method }
  if (raw.target) raw.target.isRaw = false
  raw.url = url
  // The route has all methods, and the router does not know the others.
  raw.method = 'POST'
  route()
}

export function restoreTargets(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const { routedFrom, receivedMethod } = raw
    if (routedFrom) {
      raw.url = routedFrom.url
      raw.method = receivedMethod ?? routedFrom.method
      delete raw.receivedMethod
    }
    done()
  })
}
