import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { aroundPart, multipartType } from './multipart-form.ts'
import { settingsIn, startVitrine, temporaryFolder, type Ending } from './start-vitrine.ts'
import { until } from './until.ts'

/** For a test that would otherwise wait for ever. */
export const limit = { timeout: 300_000 }

/** Makes a process write to its standard error when it calls process.exit(): see {@link ended}. */
export const traceExit = { NODE_OPTIONS: '--trace-exit' }

/** Waits for the end of a process with {@link traceExit}; fails when it called process.exit(). */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  let written = ''
  child.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()))
  await once(child, 'close')
  assert.doesNotMatch(written, /Exited the environment/)
}

/** The service with a database and a folder that a test can read. */
export async function startInFolder(t: Ending, settings: Record<string, string> = {}) {
  const folder = await temporaryFolder(t)
  const databaseUrl = `sqlite:${join(folder, 'vitrine.db')}`
  const filesFolder = join(folder, 'files')
  const urls = { DATABASE_URL: databaseUrl, FILES_URL: `file:${filesFolder}` }
  const vitrine = await startVitrine(t, { ...urls, LOG_LEVEL: 'silent', ...traceExit, ...settings })
  return { ...vitrine, folder, filesFolder }
}

/** The service again, on the database and the files of {@link startInFolder}. */
export async function startInFolderOf(t: TestContext, folder: string) {
  return startVitrine(t, settingsIn(folder))
}

/** A connection on which a test writes raw bytes. */
export async function openConnection(t: TestContext, origin: string) {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => undefined)
  return {
    write: (text: string | Buffer) => socket.write(text),
    end: () => socket.destroy(),
    /** Waits for a whole response with a length, and removes it from the received bytes. */
    response: async () => {
      for (;;) {
        const [whole, rest] = splitResponse(received)
        if (whole !== undefined) {
          received = rest
          return whole
        }
        assert.ok(!isOver(socket), `the connection ended after "${received}"`)
        await Promise.race([once(socket, 'data'), once(socket, 'close')])
      }
    },
    /** Resolves when the service has closed the connection, with the bytes received until then. */
    closed: async () => {
      if (!socket.closed) await once(socket, 'close')
      return received
    },
  }
}

function isOver(socket: Socket): boolean {
  return socket.closed || socket.readableEnded
}

function splitResponse(received: string): [whole: string | undefined, rest: string] {
  const headEnd = received.indexOf('\r\n\r\n') + 4
  const length = /^content-length: (\d+)\r$/im.exec(received.slice(0, Math.max(headEnd, 0)))?.[1]
  const end = headEnd + Number(length ?? 0)
  if (headEnd < 4 || received.length < end) return [undefined, received]
  return [received.slice(0, end), received.slice(end)]
}

/** Head and body of a GET. */
export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
}

/** Waits until the service takes no new connections: the stop has begun. */
export async function rejectsConnections(origin: string): Promise<void> {
  const { hostname, port } = new URL(origin)
  await until(async () => {
    const socket = connect(Number(port), hostname)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    socket.once('connect', () => {
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED')
    })
    const isRefused = await promise
    socket.destroy()
    return isRefused
  })
}

/** Sends half of an upload, and the rest when `finish` is called. */
export async function beginUpload(
  t: TestContext,
  { origin, filesFolder }: { origin: string; filesFolder: string },
  content: Buffer,
) {
  const connection = await openConnection(t, origin)
  const { before, after } = aroundPart({ name: 'upfiles', fileName: 'half.bin' })
  const form = Buffer.concat([before, content, after])
  connection.write(
    'POST /profile HTTP/1.1\r\nHost: localhost\r\n' +
      `Content-Type: ${multipartType}\r\nContent-Length: ${String(form.length)}\r\n\r\n`,
  )
  const half = Math.floor(form.length / 2)
  connection.write(form.subarray(0, half))
  await until(async () => (await readdir(filesFolder)).length === 1)
  return { ...connection, finish: () => connection.write(form.subarray(half)) }
}
