import { connectionFields } from '../http/request/raw-request.ts'
import { toFetch, toGo, toPython } from './code.ts'
import { quoteForShell, toCurl, toHttpie, type CommandRequest } from './commands.ts'
import type { Exchange, Fields } from './exchange.ts'
import { mask } from './mask.ts'
import { toBytes } from './message-http.ts'

/** The id, which another request must not have, and the secret. */
const ownFields = /^x-(request-id|inspector)$/i

/** Fetch Standard, forbidden request-headers; the others are of the browser that sent the request. */
const browserFields =
  /^(accept-(charset|encoding)|cookie|date|dnt|origin|referer|user-agent|upgrade-insecure-requests|priority|sec-.*)$/i

/** Commands and code that repeat a recorded request. */
export function toCommands(exchange: Exchange) {
  const request = toCommandRequest(exchange)
  const { headers } = request
  const target = /^\/[^#]*$/.test(exchange.target)
    ? []
    : ['--request-target', quoteForShell(exchange.target)]
  const isCoded = headers.some(([name]) => /^accept-encoding$/i.test(name))
  const short = { ...request, headers: headers.filter(([name]) => !browserFields.test(name)) }
  const flags = ['-i', ...(isCoded ? ['--compressed'] : []), ...target]
  return {
    curl: toCurl(request, flags),
    fetch: toFetch(short),
    python: toPython(short),
    httpie: toHttpie(short, '-v '),
    go: toGo(short),
  }
}

export function toCommandRequest(exchange: Exchange): CommandRequest {
  const { origin, target, method, requestFields } = exchange
  const body = toBody(exchange.requestBody)
  const has = (name: string) => requestFields.some(([one]) => one.toLowerCase() === name)
  const added = ['Accept', 'User-Agent', ...(body === undefined ? [] : ['Content-Type'])]
  return {
    method,
    url: origin + (target.startsWith('/') ? target : '/'),
    headers: toSendable(requestFields),
    without: added.filter((name) => !has(name.toLowerCase())),
    body,
  }
}

function toSendable(fields: Fields): Fields {
  const isSendable = (name: string) => !connectionFields.test(name) && !ownFields.test(name)
  return fields.filter(([name, value]) => isSendable(name) && !value.includes(mask))
}

function toBody(body: Exchange['requestBody']): CommandRequest['body'] {
  if (body === undefined || body.size === 0) return undefined
  if (body.isCut) return { kind: 'stored' }
  if (body.text !== undefined) return { kind: 'text', text: body.text }
  return { kind: 'base64', base64: toBytes(body).toString('base64') }
}

/** What a browser needs to send the request again. Undefined if it cannot. */
export function toReplay(exchange: Exchange) {
  const { method, target } = exchange
  const { headers, body } = toCommandRequest(exchange)
  // A browser resolves dot segments: others could have it send a request to another path.
  const isPlain = /^\/(?!\/)/.test(target) && !/\\|\/(\.|%2e){1,2}(?=[/?]|$)/i.test(target)
  const cannotHaveBody = /^(GET|HEAD)$/.test(method) && body !== undefined
  if (!isPlain || cannotHaveBody || body?.kind === 'stored') return undefined
  if (/^(CONNECT|TRACE|TRACK)$/i.test(method)) return undefined
  return { method, target, headers: headers.filter(([name]) => !browserFields.test(name)), body }
}
