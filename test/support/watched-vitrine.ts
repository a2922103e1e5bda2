import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { after, before } from 'node:test'
import { startVitrine, type Ending } from './start-vitrine.ts'

export interface WatchedVitrine {
  origin: string
  process: ChildProcess
  /** Fails unless the process runs, responds, and has logged no unexpected error. */
  assertSound: () => Promise<void>
}

/** A started process whose log is watched for faults. */
export async function startWatched(
  t: Ending,
  settings: Readonly<Record<string, string>> = {},
): Promise<WatchedVitrine> {
  const { origin, process: child } = await startVitrine(t, { ALLOWED_HOSTS: '*', ...settings })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      written += chunk.toString()
    })
  }
  const assertSound = async () => {
    assert.equal(child.exitCode ?? child.signalCode, null, written.slice(-2000))
    const faults = written.split('\n').filter((line) => /"level":[56]0/.test(line))
    assert.deepEqual(faults, [])
    if (origin.startsWith('http:')) {
      assert.equal((await sendRaw(origin, toGet('/health'))).statuses[0], 200)
    }
  }
  return { origin, process: child, assertSound }
}

/** One process for the tests of a file or suite, of which none sees what another stored; returns what finds it. */
export function useWatched(settings: Readonly<Record<string, string>> = {}, start = startWatched) {
  return useStarted((t) => start(t, settings))
}

/** As {@link useWatched}, for what starts in another way. */
export function useStarted<Started>(start: (t: Ending) => Promise<Started>): () => Started {
  const endings: (() => unknown)[] = []
  let started: Started | undefined
  before(async () => {
    started = await start({ after: (end) => endings.push(end) })
  })
  after(async () => {
    for (const end of endings) await end()
  })
  return () => started ?? assert.fail('The process is started before the tests.')
}

/** A GET after which the connection closes. */
export function toGet(target: string, ...fields: readonly string[]): string {
  return toRequest(`GET ${target} HTTP/1.1`, ['Host: x', 'Connection: close', ...fields])
}

export function toRequest(line: string, fields: readonly string[], content = ''): string {
  return `${[line, ...fields].join('\r\n')}\r\n\r\n${content}`
}

export interface RawResponse {
  /** All that was heard, byte for byte. */
  text: string
  /** The status of each response in it, in order. */
  statuses: readonly number[]
  /** Whether the other end closed the connection. */
  isClosed: boolean
}

interface SendOptions {
  /** Ends our half of the connection behind the message. */
  endsHalf?: boolean
}

/** Writes `message` unchanged and returns everything received until the other end closes. */
export async function sendRaw(
  origin: string,
  message: string | Buffer,
  { endsHalf = false }: SendOptions = {},
): Promise<RawResponse> {
  const socket = openSocket(origin)
  const bytes = typeof message === 'string' ? Buffer.from(message, 'latin1') : message
  if (endsHalf) socket.end(bytes)
  else socket.write(bytes)
  return listen(socket)
}

export function openSocket(origin: string, localAddress?: string): Socket {
  const { hostname, port } = new URL(origin)
  const socket = connect({ port: Number(port), host: hostname, localAddress, allowHalfOpen: true })
  // The other end may close while we still write; its response counts.
  socket.on('error', () => undefined)
  return socket
}

/** After this time without data, the connection counts as left open. */
const patienceMs = 60_000

/** Everything received on the socket until it closes, or until no data arrives for too long. */
export async function listen(socket: Socket): Promise<RawResponse> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const isClosed = await new Promise<boolean>((resolve) => {
    socket.once('end', () => {
      resolve(true)
    })
    socket.once('close', () => {
      resolve(true)
    })
    socket.setTimeout(patienceMs, () => {
      resolve(false)
    })
  })
  socket.destroy()
  const text = Buffer.concat(chunks).toString('latin1')
  const lines = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g)]
  // An interim response is not the final one (RFC 9110 §15.2).
  const statuses = lines.map(([, status]) => Number(status)).filter((status) => status >= 200)
  return { text, statuses, isClosed }
}

/** Whether every response in the text has `Date` and `nosniff` among its headers. */
export function hasNosniff({ text, statuses }: RawResponse): boolean {
  return [/^x-content-type-options: nosniff\r$/gim, /^date: \w{3}, .* GMT\r$/gim].every(
    (field) => [...text.matchAll(field)].length >= statuses.length,
  )
}
