import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { forgetPeak, readMemory, type Running } from './processes.ts'

interface UploadSpeed {
  /** 10⁶ bytes per second, from the first byte sent to the end of the response. */
  megabytesPerSecond: number
  /** The peak growth of the server's resident memory during the upload, in 2²⁰ bytes. */
  growthMegabytes: number
}

const boundary = 'vitrine-bench'
const chunk = Buffer.alloc(256 * 1024, 'glass')

/**
 * Uploads bytes to `POST /profile` of a running Vitrine, whose MAX_UPLOAD_BYTES must allow them.
 * The client only writes to a socket, so that the client is not what is measured.
 */
export async function measureUpload(
  { port, pid }: Pick<Running, 'port' | 'pid'>,
  bytes: number,
): Promise<UploadSpeed> {
  // The first upload loads and compiles code, which is not growth.
  await upload(port, chunk.length)
  const { now: before } = await readMemory(pid)
  await forgetPeak(pid)
  const startedAt = performance.now()
  await upload(port, bytes)
  const seconds = (performance.now() - startedAt) / 1000
  const { peak } = await readMemory(pid)
  return { megabytesPerSecond: bytes / 1e6 / seconds, growthMegabytes: peak - before }
}

async function upload(port: number, bytes: number): Promise<void> {
  const opening = `--${boundary}\r\nContent-Disposition: form-data; name="upfiles"; filename="bench.bin"\r\n\r\n`
  const closing = `\r\n--${boundary}--\r\n`
  const head = [
    'POST /profile HTTP/1.1',
    `Host: 127.0.0.1:${String(port)}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${String(opening.length + bytes + closing.length)}`,
    'Connection: close',
    '\r\n',
  ].join('\r\n')
  const socket = connect(port, '127.0.0.1')
  const responseText = text(socket)
  socket.write(head + opening)
  for (let rest = bytes; rest > 0; rest -= chunk.length) {
    await write(socket, chunk.subarray(0, Math.min(rest, chunk.length)))
  }
  socket.write(closing)
  const [status = ''] = (await responseText).split('\r\n')
  if (!status.includes(' 200 ')) throw new Error(`the response to the upload is ${status}`)
}

async function write(socket: Socket, content: Buffer): Promise<void> {
  if (!socket.write(content)) await once(socket, 'drain')
}
