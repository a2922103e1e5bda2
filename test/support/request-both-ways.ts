import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as openRequest, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { words } from './words.ts'

export interface TestRequest {
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
}

export interface TestResponse {
  status: number
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/** The host that every question names, so that both ways have the same origin. */
export const ownHost = 'vitrine.localhost'
export const ownOrigin = `http://${ownHost}`

/** What differs between any two responses, or is between the two ends of one connection only. */
export const variableHeaders = words`
  date connection keep-alive server-timing transfer-encoding x-request-id
`

/**
 * Sends a request with `inject` and over a real socket, and fails unless both get the same response. For
 * requests that may be repeated.
 */
export async function sendBothWays(app: FastifyInstance, sent: TestRequest): Promise<TestResponse> {
  const overSocket = await sendOverSocket(app, sent)
  assert.deepEqual(
    withoutInstance(overSocket),
    withoutInstance(await sendInjected(app, sent)),
    `${toLine(sent)}: socket and inject differ`,
  )
  return overSocket
}

export async function sendInjected(app: FastifyInstance, sent: TestRequest): Promise<TestResponse> {
  const { method = 'GET', path, headers, body } = sent
  const response = await app.inject({
    method: method as 'GET',
    url: path,
    headers: { host: ownHost, ...headers },
    ...(body !== undefined && { payload: body }),
  })
  return toTestResponse(response.statusCode, response.headers, response.body)
}

export async function sendOverSocket(
  app: FastifyInstance,
  sent: TestRequest,
): Promise<TestResponse> {
  const { method = 'GET', path, headers, body } = sent
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
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return toTestResponse(response.statusCode ?? 0, response.headers, await text(response))
}

/** Writes `message` as it is and gives all that comes back until the other end closes. */
export async function sendRaw(app: FastifyInstance, message: string | Buffer): Promise<string> {
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

/** Two responses are two instances of a problem. */
function withoutInstance({ body, ...rest }: TestResponse): TestResponse {
  return { ...rest, body: body.replace(/"urn:uuid:[^"]*"/, '"urn:uuid:…"') }
}

function toTestResponse(status: number, headers: object, body: string): TestResponse {
  const withoutVariable = Object.entries(headers).filter(
    ([name]) => !variableHeaders.includes(name),
  )
  const values = withoutVariable.map(([name, value]) => [name, String(value)] as const)
  return { status, headers: Object.fromEntries(values), body }
}

function toLine({ method = 'GET', path, headers }: TestRequest): string {
  return `${method} ${path} ${JSON.stringify(headers ?? {})}`
}
