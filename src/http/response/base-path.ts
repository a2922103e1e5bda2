import type { FastifyReply } from 'fastify'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

const linkHeaders = ['location', 'content-location', 'link']

/** The links of the response stay below the path that names the sandbox. They are changed when the head is sent. */
export function keepBelow(raw: IncomingMessage, response: ServerResponse): void {
  const { basePath } = raw
  if (basePath === undefined) return
  const toLocal = createLocal(basePath, raw.headers.host ?? raw.headers[':authority']?.toString())
  const setHeader = response.setHeader.bind(response)
  const writeHead = response.writeHead.bind(response)
  const change = (name: string, value: unknown) =>
    linkHeaders.includes(name.toLowerCase()) && typeof value === 'string'
      ? toLocal(name.toLowerCase(), value)
      : value
  response.setHeader = (name, value) => setHeader(name, change(name, value) as typeof value)
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const given = rest.map((part) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(
            Object.entries(part as OutgoingHttpHeaders).map(([name, value]) => [
              name,
              change(name, value),
            ]),
          )
        : part,
    )
    Reflect.apply(writeHead, undefined, [status, ...given])
    return response
  }
}

/** A path, or a URL of the host of the request. */
function createLocal(basePath: string, host = '') {
  const origin = host === '' ? '(?!)' : `https?://${RegExp.escape(host)}`
  const start = `((?:${origin})?)(?=/(?!/))(?!(?:${origin})?${RegExp.escape(basePath)}(?:[/?#>]|$))`
  const ofUrl = new RegExp(`^${start}`, 'i')
  const ofLink = new RegExp(`<${start}`, 'gi')
  return (name: string, value: string) =>
    name === 'link'
      ? value.replace(ofLink, `<$1${basePath}`)
      : value.replace(ofUrl, `$1${basePath}`)
}

/** Only the templates of the service write such an attribute: text has no quotation mark. */
const attribute = /(\s(?:href|action|formaction|src|data-[\w-]+)=")(?=\/(?!\/))/g

/** The links of a page. A part of a stream has whole elements. */
export function toPageBelow(reply: FastifyReply, payload: unknown): unknown {
  const { basePath } = reply.request.raw
  const type = String(reply.getHeader('content-type'))
  if (basePath === undefined || !type.startsWith('text/html')) return payload
  const change = (text: string) => text.replace(attribute, `$1${basePath}`)
  if (typeof payload === 'string') return change(payload)
  if (Buffer.isBuffer(payload)) return Buffer.from(change(payload.toString()))
  if (!(payload instanceof Readable)) return payload
  const changed = Readable.from(changeParts(payload, change), { objectMode: false })
  return changed.once('close', () => payload.destroy())
}

async function* changeParts(content: Readable, change: (text: string) => string) {
  for await (const part of content) yield change(String(part))
}
