import type { Server } from 'node:http'
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'

/** Sizes of the frames that acknowledge PING and SETTINGS (RFC 9113 §6.7 and §6.5). */
const pingBytes = 17
const settingsBytes = 9

/** A client that takes fewer bytes during `sendIdleMs` does not read. */
const minReadBytes = 1024

interface SessionLimits {
  /** From the start of a connection to its first request. */
  firstRequestMs: number
  /** Without an open stream. */
  keepAliveMs: number
  /** Without reading a response: at least this long, and less than twice. */
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

function closeWhenIdle(
  session: ServerHttp2Session,
  streams: Streams,
  { firstRequestMs, keepAliveMs }: SessionLimits,
): NodeJS.Timeout {
  let limitMs = firstRequestMs
  let usedAt = performance.now()
  session.on('stream', (stream) => {
    limitMs = keepAliveMs
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

function endUnreadStreams(
  session: ServerHttp2Session,
  streams: Streams,
  { sendIdleMs }: SessionLimits,
): NodeJS.Timeout {
  let acknowledgedBytes = 0
  session.on('ping', () => (acknowledgedBytes += pingBytes))
  session.on('remoteSettings', () => (acknowledgedBytes += settingsBytes))
  let readBytes = 0
  let unread: ServerHttp2Stream[] = []
  return setInterval(() => {
    const previousBytes = readBytes
    readBytes = session.socket.bytesWritten - acknowledgedBytes
    const stalled = readBytes - previousBytes < minReadBytes ? unread.filter(isUnread) : []
    for (const stream of stalled) stream.close(constants.NGHTTP2_CANCEL)
    unread = [...streams].filter(isUnread)
  }, sendIdleMs).unref()
}

const isUnread = (stream: ServerHttp2Stream) => stream.writableLength > 0
