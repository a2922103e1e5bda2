import type { FastifyInstance } from 'fastify'
import { tooManyPendingBytes } from '../errors/http-error.ts'

const maxPendingBytes = 256 * 1024 * 1024
/** Not counted: as many as there may be connections take little memory. */
const smallBytes = 4096
/** An error instead of a shorter response would hide what a write did. */
const maxAlwaysSentBytes = 64 * 1024

/**
 * Responds 503 while the responses that clients have not yet read fill the memory: one with control
 * characters is six times as long in JSON as the body that it returns.
 */
export function limitPendingBytes(app: FastifyInstance): void {
  let pendingBytes = 0
  app.addHook('onRequest', (request, _reply, done) => {
    const isProbe = request.routeOptions.config.anyHost === true
    done(pendingBytes > maxPendingBytes && !isProbe ? tooManyPendingBytes() : undefined)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    const size = isWhole ? payload.length : 0
    if (size > maxAlwaysSentBytes && pendingBytes + size > maxPendingBytes) {
      done(tooManyPendingBytes())
      return
    }
    if (size > smallBytes) {
      pendingBytes += size
      reply.raw.once('close', () => {
        pendingBytes -= size
      })
    }
    done(null, payload)
  })
}
