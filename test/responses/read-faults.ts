import type { EventEmitter } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { makeCertificate } from '../support/tls-client.ts'
import { catalogueApp, type TestApp } from '../support/test-app.ts'

/** Unlike `once`, also if an error comes first. */
async function closed(emitter: EventEmitter): Promise<void> {
  await new Promise((resolve) => emitter.once('close', resolve))
}

const untrusted = { rejectUnauthorized: false }

export interface Listening {
  app: TestApp
  origin: string
}

export async function openFaults(
  t: TestContext,
  isTls = false,
  settings: Record<string, string> = {},
): Promise<Listening> {
  const certificate = isTls ? await makeCertificate(t) : {}
  const app = await catalogueApp(t, {
    settings: { ALLOWED_HOSTS: '*', ...certificate, ...settings },
  })
  return { app, origin: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

export function openSocket(origin: string): Socket {
  const { protocol, port } = new URL(origin)
  const target = { host: '127.0.0.1', port: Number(port) }
  return protocol === 'https:' ? connectTls({ ...target, ...untrusted }) : connect(target)
}

/** All bytes until the end of the connection, and how it ended. */
export async function readToEnd(socket: Socket): Promise<{ text: string; end: string }> {
  let received = ''
  let end = 'closed'
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('error', ({ code = 'error' }: NodeJS.ErrnoException) => {
    end = code
  })
  await closed(socket)
  return { text: received, end }
}

/** What a client that uses `node:http` sees: `200 half of the body|ECONNRESET`. */
export async function fetchWithNode(url: string): Promise<string> {
  const get = url.startsWith('https:') ? getHttps : getHttp
  const request = get(url, { ...untrusted, agent: false })
  let end = ''
  const finish = ({ code = '' }: NodeJS.ErrnoException) => {
    end ||= code
  }
  request.on('error', finish)
  let received = ''
  request.on('response', (response) => {
    received = `${String(response.statusCode)} `
    response.on('error', finish)
    response.on('data', (chunk: Buffer) => (received += chunk.toString()))
  })
  await closed(request)
  return `${received}|${end}`
}

export function openSession(t: TestContext, origin: string): ClientHttp2Session {
  const session = connectHttp2(origin, untrusted)
  session.on('error', () => undefined)
  t.after(() => {
    session.destroy()
  })
  return session
}

export interface StreamResult {
  status: unknown
  body: string
  /** The code of RST_STREAM. */
  code: number | undefined
}

export async function fetchOver(
  session: ClientHttp2Session,
  path: string,
  onData: () => void = () => undefined,
  body?: string,
): Promise<StreamResult> {
  const method = body === undefined ? 'GET' : 'POST'
  const stream = session.request({ ':method': method, ':path': path }).end(body)
  stream.on('data', onData)
  let status: unknown
  let received = ''
  stream.on('response', (headers) => (status = headers[':status']))
  stream.on('data', (chunk: Buffer) => (received += chunk.toString()))
  stream.on('error', () => undefined)
  await closed(stream)
  return { status, body: received, code: stream.rstCode }
}
