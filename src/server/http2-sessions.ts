import type { Server } from 'node:http'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { clearInterval, performance, setInterval } from '../timers.ts'

/** A frame that acknowledges PING or SETTINGS has at most this size, with its TLS record. */
const acknowledgementBytes = 128

/** RFC 9113 §7: the code CANCEL. */
const cancel = 8

/** A client that takes fewer bytes during `sendIdleMs` does not read. */
const minSentBytes = 1024

interface SessionLimits {
  firstRequestMs: number
  keepAliveMs: number
  /** A client that reads nothing is disconnected after this time, or at most twice as much. */
  sendIdleMs: number
}

/** Node renews its own timeouts with each frame, also with a PING. */
export function limitSessions(server: Server, limits: SessionLimits): void {
  server.on('session', (session: ServerHttp2Session) => {
    const streams = new Set<ServerHttp2Stream>()
    const timers = [
      closeWhenIdle(session, streams, limits),
      endUnreadStreams(session, streams, limits),
    ]
    session.on('stream', (stream) => {
      streams.add(stream)
      stream.once('close', () => streams.delete(stream))
    })
    session.once('close', () => {
      for (const timer of timers) clearInterval(timer)
    })
  })
}

type Streams = ReadonlySet<ServerHttp2Stream>

function closeWhenIdle(session: ServerHttp2Session, streams: Streams, limits: SessionLimits) {
  let limitMs = limits.firstRequestMs
  let usedAt = performance.now()
  session.on('stream', (stream) => {
    limitMs = limits.keepAliveMs
    stream.once('close', () => {
      usedAt = performance.now()
    })
  })
  return setInterval(() => {
    if (streams.size > 0 || performance.now() - usedAt < limitMs) return
    // An unfinished HEADERS frame can keep a closed session open.
    if (session.closed) session.destroy()
    else session.close()
  }, 500).unref()
}

function endUnreadStreams(session: ServerHttp2Session, streams: Streams, limits: SessionLimits) {
  const { _parent: connection = session.socket } = session.socket
  let acknowledgedBytes = 0
  const acknowledge = () => (acknowledgedBytes += acknowledgementBytes)
  session.on('ping', acknowledge).on('remoteSettings', acknowledge)
  let sentBytes = 0
  let queuedBytes = 0
  let unread: ServerHttp2Stream[] = []
  return setInterval(() => {
    const [previouslySent, previouslyQueued] = [sentBytes, queuedBytes]
    queuedBytes = connection._handle?.writeQueueSize ?? 0
    sentBytes = connection.bytesWritten - queuedBytes - acknowledgedBytes
    if (sentBytes - previouslySent < minSentBytes) {
      for (const stream of unread.filter(isUnread)) stream.close(cancel)
      // Nothing behind the queue can be sent, not even the end of a stream or of the session.
      if (previouslyQueued > 0 && queuedBytes > 0) connection.destroy()
    }
    unread = [...streams].filter(isUnread)
  }, limits.sendIdleMs).unref()
}

const isUnread = (stream: ServerHttp2Stream) => stream.writableLength > 0
