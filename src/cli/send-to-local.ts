import type { ClientRequest, IncomingMessage } from 'node:http'
import { finished, type Duplex } from 'node:stream'
import { request as requestHttp } from '../http/node-http.ts'
import { connectionFields } from '../http/request/raw-request.ts'
import type { ListedRequest } from './bin-client.ts'
import { timeoutSignal } from '../timers.ts'

const localSeconds = 30

export function sendToLocal(to: URL, captured: ListedRequest, body?: Buffer) {
  const { method, requestFields } = captured
  // Without a length, Node sends an empty body in chunks.
  const hasLength = body !== undefined || !/^(DELETE|GET|HEAD|OPTIONS)$/.test(method)
  const length = hasLength ? ['Content-Length', String(body?.length ?? 0)] : []
  const kept = requestFields.filter(([name]) => !connectionFields.test(name))
  const { request: requestHttps } = process.getBuiltinModule('node:https')
  const request = (to.protocol === 'https:' ? requestHttps : requestHttp)(to, {
    method,
    path: toLocalPath(to, captured),
    headers: ['Host', to.host, ...kept.flat(), ...length],
  })
  const responded = readStatus(request)
  request.end(body)
  return responded
}

/** With nothing after the URL of the bin, the path is that of the local URL as it was given. */
function toLocalPath({ pathname, search }: URL, { path, target }: ListedRequest): string {
  const [query = ''] = /\?.*$/s.exec(path) ?? []
  const isBare = !target.replace(/\?.*$/s, '').endsWith('/')
  const rest = path.slice(0, path.length - query.length)
  const whole = isBare && rest === '/' ? pathname : pathname.replace(/\/$/, '') + rest
  return whole + (query === '' ? search : query + search.replace('?', '&'))
}

/** Returns after the whole response. An error that has no listener would end the process. */
function readStatus(request: ClientRequest): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const fail = (reason: string) => {
    reject(new Error(reason))
    request.destroy()
  }
  const switchProtocols = (_: IncomingMessage, socket: Duplex) => {
    socket.destroy()
    fail('the response begins another protocol')
  }
  request
    .once('error', reject)
    .on('connect', switchProtocols)
    .on('upgrade', switchProtocols)
    .on('response', (response) => {
      // The error has no code: the request has arrived, and is not sent again.
      request.off('error', reject).on('error', ({ message }) => {
        fail(message)
      })
      if (response.statusCode === 101) switchProtocols(response, response.socket)
      finished(response.resume(), (error) => {
        if (error) fail(error.message)
        else resolve(response.statusCode ?? 0)
      })
    })
  timeoutSignal(localSeconds * 1000).addEventListener('abort', () => {
    fail(`no complete response in ${String(localSeconds)} s`)
  })
  return promise
}
