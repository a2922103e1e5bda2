import { formatNumber } from '../../config/format-count.ts'
import { maxFragments } from '../../config/limits.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { hasWebSocketKey, openWebSocket, type LimitedWebSocket } from '../../http/web-sockets.ts'
import type { DialectRequest } from '../dialect.ts'
import { forOnly, toEndpoint } from '../endpoint.ts'
import { assertInRange, findInteger, quote } from '../parameters.ts'
import { findHeader } from '../text.ts'

export const webSocketPath = '/websocket/echo'

export const webSocketEndpoints = [
  toEndpoint(
    webSocketPath,
    'Echo the messages of a WebSocket',
    {
      methods: forOnly('GET'),
      statuses: [101, 400],
      query: {
        max_fragment_size: ['The size of each frame of an echo in bytes.', '100'],
        max_message_size: ['The size of a message in bytes.', '1000'],
      },
    },
    openEcho,
  ),
]

async function openEcho(request: DialectRequest) {
  const limits = parseLimits(request)
  assertHandshake(request)
  const { config, reply } = request
  const { maxBodyBytes, maxDurationSeconds: maxSeconds } = config
  const maxUnsentBytes = 4 * maxBodyBytes
  await openWebSocket(
    reply,
    { maxMessageBytes: limits.message, maxUnsentBytes, maxSeconds },
    (opened) => {
      echo(opened, limits.fragment)
    },
  )
  return {}
}

function parseLimits(request: DialectRequest) {
  const { maxBodyBytes: max } = request.config
  const parse = (name: string, fallback: number) => {
    const size = findInteger(request, name) ?? fallback
    assertInRange(size, name, [1, max])
    return size
  }
  const fragment = parse('max_fragment_size', Math.max(Math.floor(max / 2), 1))
  const message = parse('max_message_size', max)
  if (fragment <= message) return { fragment, message }
  const parts = [`max_fragment_size ${String(fragment)}`, `max_message_size ${String(message)}`]
  throw badRequest(parts.join(' must be less than or equal to '))
}

function assertHandshake({ headers, fastify }: DialectRequest): void {
  const version = findHeader(headers, 'sec-websocket-version') ?? ''
  const key = findHeader(headers, 'sec-websocket-key') ?? ''
  const isUpgrade = findHeader(headers, 'upgrade')?.toLowerCase() === 'websocket'
  if (!isUpgrade) throw badRequest('missing required `Upgrade: websocket` header')
  if (version !== '13') {
    throw badRequest(`only websocket version "13" is supported, got ${quote(version)}`)
  }
  if (key === '') throw badRequest('missing required `Sec-Websocket-Key` header')
  if (hasWebSocketKey(fastify.raw) && fastify.raw.upgradeHead !== undefined) return
  throw badRequest('The request is not a valid handshake of a WebSocket (RFC 6455 §4.2.1).')
}

function echo({ socket, isOver, reply }: LimitedWebSocket, fragment: number): void {
  socket.on('message', (message: Buffer, binary) => {
    const frames = Math.max(Math.ceil(message.length / fragment), 1)
    if (frames > maxFragments)
      socket.close(1009, `The echo has more than ${formatNumber(maxFragments)} fragments.`)
    else if (!isOver(frames - 1, message.length)) {
      reply((done) => {
        let start = 0
        for (; start + fragment < message.length; start += fragment)
          socket.send(message.subarray(start, start + fragment), { binary, fin: false })
        socket.send(message.subarray(start), { binary }, done)
      })
    }
  })
}
