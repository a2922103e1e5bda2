import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export interface Target {
  origin: string
  /** The address of the hostile client: the service counts each by itself. */
  localAddress: string
}

/** Errors are what a hostile client expects. */
export function openSocket({ origin, localAddress }: Target): Socket {
  const { hostname: host, port } = new URL(origin)
  const socket = connect({ host, port: Number(port), localAddress })
  return socket.on('error', () => undefined)
}

/** What the service sends until it closes the connection, or for some seconds. */
export async function sendText(target: Target, text: string, seconds = 5): Promise<string> {
  const socket = openSocket(target)
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    if (received.length < 100_000) received += chunk
  })
  socket.end(text, 'latin1')
  await waitForClose(socket, seconds)
  return received
}

export async function waitForClose(socket: Socket, seconds: number): Promise<void> {
  if (socket.closed) return
  const closed = new AbortController()
  await Promise.race([
    once(socket, 'close').catch(() => undefined),
    setTimeout(seconds * 1000, undefined, { signal: closed.signal }).catch(() => undefined),
  ])
  closed.abort()
  socket.destroy()
}

/** Sends a byte at a time until the service closes the connection. */
export async function drip(target: Target, start: string, seconds: number): Promise<void> {
  const socket = openSocket(target)
  socket.resume().write(start)
  const timer = setInterval(() => {
    if (socket.writable) socket.write('x')
  }, 500)
  await waitForClose(socket, seconds)
  clearInterval(timer)
}
