import type { FastifyReply } from 'fastify'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { renderLastHead } from '../http/response/last-head.ts'
import { pace, toPause, wait } from '../http/response/pacing.ts'
import { isWithoutContent } from '../http/response/without-content.ts'
import { nextTurn } from '../timers.ts'

export interface SoundResponse {
  reply: FastifyReply
  body: Buffer
  seconds: number
  maxBodyBytes: number
  /** Over HTTP/1.1, in place of Content-Length. */
  isChunked: boolean
  /** The byte at which the body breaks; its half if unset. */
  at?: number | undefined
  toChunks: (bytes: Buffer) => AsyncIterable<Buffer>
}

export function sendsContent({ request, raw: { statusCode } }: FastifyReply): boolean {
  return request.method !== 'HEAD' && !isWithoutContent(statusCode)
}

export const firstHalf = (body: Buffer, at = body.length / 2) => body.subarray(0, at)

/** Resolves when the operating system has the bytes, or when the client has gone. */
export function write(target: Writable, bytes: Buffer): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  target.write(bytes, resolve)
  return promise
}

/** Node resets only TCP connections, and not the TLS connection above one. */
export function reset(socket: Socket & { _parent?: Socket | null }): void {
  const tcp = socket._parent ?? socket
  tcp.resetAndDestroy()
}

/** The reset waits: Node 26 aborts the process if it is in a callback of received frames. */
export async function resetStream(stream: ServerHttp2Stream, code: number): Promise<void> {
  await nextTurn()
  stream.close(code)
}

/** The reset waits: some systems discard received bytes that were not read before it. */
export async function resetLater({ reply }: SoundResponse, socket: Socket): Promise<void> {
  await wait(reply, 100)
  reset(socket)
}

export function toHeadBytes({ reply: { raw }, body }: SoundResponse): Buffer {
  return Buffer.from(
    renderLastHead(
      raw.statusCode,
      { ...raw.getHeaders(), 'content-length': body.length },
      raw.statusMessage,
    ),
    'latin1',
  )
}

export async function sendSlowHead(response: SoundResponse, socket: Socket): Promise<void> {
  const { reply, body, seconds } = response
  const head = toHeadBytes(response)
  const { length: count } = head
  const pauseMs = toPause(seconds, count)
  for await (const { start, end } of pace(reply, { count, pauseMs, batch: 1 })) {
    await write(socket, head.subarray(start, end))
  }
  if (sendsContent(reply)) await write(socket, body)
  socket.destroySoon()
}

/** RFC 9112 §6.3: such a message may smuggle a request, and its length is that of the chunks. */
export async function sendBothFramings(response: SoundResponse, socket: Socket): Promise<void> {
  const { reply, body } = response
  const head = toHeadBytes(response)
    .toString('latin1')
    .replace(/\r\n$/, 'transfer-encoding: chunked\r\n\r\n')
  const chunk =
    body.length === 0 ? '' : `${body.length.toString(16)}\r\n${body.toString('latin1')}\r\n`
  await write(
    socket,
    Buffer.from(`${head}${sendsContent(reply) ? `${chunk}0\r\n\r\n` : ''}`, 'latin1'),
  )
  socket.destroySoon()
}

export async function sendHalf(response: SoundResponse): Promise<void> {
  const { reply, body, isChunked, at } = response
  if (isChunked) reply.raw.setHeader('transfer-encoding', 'chunked')
  else reply.raw.setHeader('content-length', body.length)
  const half = firstHalf(body, at)
  if (half.length === 0) await write(reply.raw, half)
  await writeChunks(response, half)
}

async function writeChunks({ reply, toChunks }: SoundResponse, bytes: Buffer): Promise<void> {
  for await (const chunk of toChunks(bytes)) await write(reply.raw, chunk)
}

export async function stall(response: SoundResponse): Promise<void> {
  const { reply, body, seconds, at = body.length / 2 } = response
  await sendHalf(response)
  if (!(await wait(reply, seconds * 1000))) return
  await writeChunks(response, body.subarray(at))
  reply.raw.end()
}

export async function repeatBody({
  reply,
  body,
  seconds,
  maxBodyBytes,
}: SoundResponse): Promise<void> {
  const chunk = body.length < 1024 ? Buffer.alloc(1024, body) : body
  const count = Math.ceil(maxBodyBytes / chunk.length)
  for await (const { start, end } of pace(reply, { count, pauseMs: toPause(seconds, count) })) {
    for (let index = start; index < end; index += 1) await write(reply.raw, chunk)
  }
}
