import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as openRequest, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'

export interface Question {
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
}

export interface Answer {
  status: number
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/** The host that every question names, so that both ways have the same origin. */
export const ownHost = 'vitrine.localhost'
export const ownOrigin = `http://${ownHost}`

/** What differs between any two answers, or is between the two ends of one connection only. */
export const passingHeaders = [
  'date',
  'connection',
  'keep-alive',
  'server-timing',
  'transfer-encoding',
  'x-request-id',
]

/**
 * Asks with `inject` and over a real socket, and fails unless both have the same answer. For
 * questions that may be asked twice.
 */
export async function askBothWays(app: FastifyInstance, question: Question): Promise<Answer> {
  const overSocket = await askOverSocket(app, question)
  const injected = await askInjected(app, question)
  assert.deepEqual(
    withoutInstance(overSocket),
    withoutInstance(injected),
    `${toLine(question)}: socket and inject differ`,
  )
  return overSocket
}

export async function askInjected(app: FastifyInstance, question: Question): Promise<Answer> {
  const { method = 'GET', path, headers, body } = question
  const answer = await app.inject({
    method: method as 'GET',
    url: path,
    headers: { host: ownHost, ...headers },
    ...(body !== undefined && { payload: body }),
  })
  return toAnswer(answer.statusCode, answer.headers, answer.body)
}

export async function askOverSocket(app: FastifyInstance, question: Question): Promise<Answer> {
  const { method = 'GET', path, headers, body } = question
  const isChunked = body === undefined || headers?.['transfer-encoding'] !== undefined
  const length = isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const request = openRequest({
    ...(await listen(app)),
    agent: false,
    method,
    path,
    headers: { host: ownHost, ...length, ...headers },
  })
  request.end(body)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return toAnswer(answer.statusCode ?? 0, answer.headers, await text(answer))
}

/** Writes `message` as it is and gives all that comes back until the other end closes. */
export async function askRaw(app: FastifyInstance, message: string | Buffer): Promise<string> {
  const { host, port } = await listen(app)
  const socket = connect(port, host)
  socket.write(message)
  return (await buffer(socket)).toString('latin1')
}

async function listen(app: FastifyInstance): Promise<{ host: string; port: number }> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const { address, port } = app.server.address() as AddressInfo
  return { host: address, port }
}

/** Two answers are two instances of a problem. */
function withoutInstance({ body, ...rest }: Answer): Answer {
  return { ...rest, body: body.replace(/"urn:uuid:[^"]*"/, '"urn:uuid:…"') }
}

function toAnswer(status: number, headers: object, body: string): Answer {
  const lasting = Object.entries(headers).filter(([name]) => !passingHeaders.includes(name))
  const values = lasting.map(([name, value]) => [name, String(value)] as const)
  return { status, headers: Object.fromEntries(values), body }
}

function toLine({ method = 'GET', path, headers }: Question): string {
  return `${method} ${path} ${JSON.stringify(headers ?? {})}`
}
