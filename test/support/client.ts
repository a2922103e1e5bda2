import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Ending } from './start-vitrine.ts'
import { asUpload } from './multipart-form.ts'

interface TestRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Resolves when the whole response is there; rejects when the connection ends before. */
export type Send = (path: string, message?: TestRequest) => Promise<TestResponse>

/** One persistent connection to the service, for consecutive requests. */
export function openClient(t: Ending, origin: string): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => {
    agent.destroy()
  })
  return async (path, { method = 'GET', headers = {}, body } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request(origin + path, { agent, method, headers: { ...accept, ...headers } }, resolve)
      .on('error', reject)
      .end(body)
    const response = await promise
    const text = Buffer.concat((await response.toArray()) as Buffer[]).toString()
    return { status: response.statusCode ?? 0, headers: response.headers, text }
  }
}

const accept = { accept: 'application/json' }

export function asJson(method: string, body: object) {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** A form with this file, as `POST /profile` takes it. */
export function asFile(content: Buffer, fileName = 'file.bin') {
  const { headers, payload } = asUpload(content, { fileName })
  return { method: 'POST', headers, body: payload }
}

/** The records in the list of a resource. */
export async function listOf<Item>(send: Send, path: string): Promise<Item[]> {
  return JSON.parse((await send(path)).text) as Item[]
}

/** The cookie that a response sets, as the next request sends it. */
export function toCookie({ headers }: TestResponse): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}
