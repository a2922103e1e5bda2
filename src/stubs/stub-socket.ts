import type { FastifyReply } from 'fastify'
import type { Config } from '../config/config.ts'
import { badRequest, HttpError } from '../http/errors/http-error.ts'
import { assertSameSite, toOrigin } from '../http/request/request-head.ts'
import { isHttp2 } from '../http/request/target.ts'
import { wait } from '../http/response/pacing.ts'
import { hasWebSocketKey, openWebSocket } from '../http/web-sockets.ts'
import { drawDelay } from '../responses/delay.ts'
import type { Description } from '../responses/description.ts'
import type { RenderSource } from '../responses/render.ts'
import { prepareScript, runScript } from '../responses/run-script.ts'

/** Runs the script of a stub. Throws 426 for a request that is no handshake, and 403 for one of another site. */
export async function openStubSocket(
  reply: FastifyReply,
  description: Description,
  { source, config }: { source: RenderSource; config: Config },
): Promise<FastifyReply> {
  assertHandshake(reply)
  const { request } = reply
  const origins = { own: toOrigin(request), others: config.corsOrigins }
  // No CORS protects the messages from other sites.
  assertSameSite(request.raw, origins, 'WebSockets of other sites')
  if (!config.responseFaults && description.websocket?.some(({ drop }) => drop))
    throw new HttpError('forbidden', 'Faults are disabled. Set RESPONSE_FAULTS=on to enable drop.')
  const script = await prepareScript(description, source, config)
  const delay = drawDelay(description.delay, config.maxDurationSeconds)
  if (delay > 0 && !(await wait(reply, delay * 1000))) return reply.hijack()
  const { maxBodyBytes, maxDurationSeconds: maxSeconds } = config
  const limits = { maxMessageBytes: maxBodyBytes, maxUnsentBytes: 4 * maxBodyBytes, maxSeconds }
  await openWebSocket(reply, limits, (opened) => {
    void runScript(opened, reply, script)
  })
  return reply
}

/** RFC 6455 §4.4: the version is that of the service if the client has another one. */
function assertHandshake({ request: { raw } }: FastifyReply): void {
  if (isHttp2(raw)) throw upgradeRequired('Here, a WebSocket is opened over HTTP/1.1 only.')
  if (raw.upgradeHead === undefined)
    throw upgradeRequired('Send a GET with Upgrade: websocket, and without a body.')
  if (raw.headers['sec-websocket-version'] !== '13') {
    const headers = { 'sec-websocket-version': '13' }
    throw upgradeRequired('Its version must be 13.', headers)
  }
  if (!hasWebSocketKey(raw))
    throw badRequest('Sec-WebSocket-Key must be 16 bytes in Base64 (RFC 6455 §4.2.1).')
}

function upgradeRequired(hint: string, headers = {}): HttpError {
  return new HttpError('upgrade-required', `This is the URL of a WebSocket. ${hint}`, { headers })
}
