import { connectionFields } from '../http/request/raw-request.ts'
import { toFetch, toGo, toPython } from '../site/commands/code.ts'
import {
  controls,
  quoteForShell,
  toCurl,
  toHttpie,
  toWindows,
  type CommandRequest,
} from '../site/commands/commands.ts'
import { findField, mask, type Exchange, type Fields } from './exchange.ts'
import { toBytes } from './message-http.ts'

/** Another request must not have the id, nor the secret. */
const ownFields = /^x-(request-id|inspector)$/i

/** Fetch Standard, forbidden request-headers; the others are of the browser that sent the request. */
const browserFields =
  /^(accept-(charset|encoding)|cookie|date|dnt|origin|referer|user-agent|upgrade-insecure-requests|priority|sec-.*)$/i

export function toCommands(exchange: Exchange) {
  const request = toCommandRequest(exchange)
  const short = toShort(request)
  return {
    curl: toCurlOf(exchange, request),
    fetch: toFetch(short),
    python: toPython(short),
    httpie: toHttpie(short, '-v '),
    go: toGo(short),
  }
}

/** The command prompt of Windows quotes in its own way. Undefined if that is impossible. */
export function toWindowsCommand(exchange: Exchange): string | undefined {
  return toWindows(toCurlOf(exchange, toShort(toCommandRequest(exchange))))
}

const toShort = (request: CommandRequest) => ({
  ...request,
  headers: request.headers.filter(([name]) => !browserFields.test(name)),
})

function toCurlOf(exchange: Exchange, request: CommandRequest): string {
  const { headers, method } = request
  const target = /^\/[^#]*$/.test(exchange.target)
    ? []
    : ['--request-target', quoteForShell(exchange.target)]
  const isCoded = headers.some(([name]) => /^accept-encoding$/i.test(name))
  const flags = ['-i', ...(isCoded ? ['--compressed'] : []), ...target]
  const form = toFormFlags(exchange)
  if (form === undefined) return toCurl(request, flags)
  const others = headers.filter(([name]) => !/^content-type$/i.test(name))
  // A form implies POST, as no body implies GET.
  const implied = method === 'POST' ? 'GET' : method
  const start = toCurl({ ...request, method: implied, headers: others, body: undefined }, flags)
  return [start, ...form].join(' \\\n  ')
}

/** Flags for a form with the same parts, whose files are `file.txt`. Undefined if curl cannot send it. */
function toFormFlags({ method, requestFields, requestBody }: Exchange) {
  const type = findField(requestFields, 'content-type') ?? ''
  const [, boundary = ''] = /^multipart\/form-data; *boundary="?([^";]+)"?$/i.exec(type) ?? []
  // A digest is of the whole body with its boundary.
  const isFixed = requestFields.some(([name]) =>
    /^(content-(encoding|digest)|repr-digest)$/i.test(name),
  )
  if (/^(GET|HEAD)$/.test(method) || boundary === '' || isFixed || requestBody?.isCut)
    return undefined
  const text = `\r\n${toBytes(requestBody).toString('latin1')}`
  const [start, ...parts] = text.split(`\r\n--${boundary}`)
  if (start !== '' || parts.pop()?.trimEnd() !== '--' || parts.length === 0) return undefined
  const flags = parts.map(toFormFlag)
  return flags.every((flag) => flag !== undefined) ? flags : undefined
}

const formPart =
  /^\r\nContent-Disposition: form-data; name="([^"\\=\n]+)"(?:; filename="([^"\\\n]+)"\r\nContent-Type: ([\w.+-]+\/[\w.+-]+))?\r\n\r\n([^]*)$/

/** The file has a fixed name: that of the client could lead to any file of the reader. */
function toFormFlag(part: string): string | undefined {
  const found = formPart.exec(part) ?? []
  const toText = (index: number) => Buffer.from(found[index] ?? '', 'latin1').toString()
  const [name, fileName, type] = [toText(1), toText(2), toText(3)]
  const texts = name + (fileName || toText(4))
  if (name === '' || controls.test(texts) || texts.includes('\ufffd')) return undefined
  if (fileName === '')
    return `--form-string ${quoteForShell(`${name}=${texts.slice(name.length)}`)}`
  const quoted = /^[\w.-]+$/.test(fileName) ? fileName : `"${fileName}"`
  return `-F ${quoteForShell(`${name}=@file.txt;filename=${quoted};type=${type}`)}`
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

/** What a browser needs to send the request again. Undefined if it cannot. An incomplete body is at `bodyUrl`. */
export function toReplay(exchange: Exchange, bodyUrl?: string) {
  const { method, target } = exchange
  const { headers, body } = toCommandRequest(exchange)
  // A browser resolves dot segments: others could have it send a request to another path.
  const isPlain = /^\/(?!\/)/.test(target) && !/\\|\/(\.|%2e){1,2}(?=[/?]|$)/i.test(target)
  const cannotHaveBody = /^(GET|HEAD)$/.test(method) && body !== undefined
  const lacksBody = body?.kind === 'stored' && bodyUrl === undefined
  if (!isPlain || cannotHaveBody || lacksBody) return undefined
  if (/^(CONNECT|TRACE|TRACK)$/i.test(method)) return undefined
  const kept = headers.filter(([name]) => !browserFields.test(name))
  return { method, target, headers: kept, body, bodyUrl }
}
