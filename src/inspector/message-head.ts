import type { Exchange } from './exchange-log.ts'
import { toReasonPhrase } from '../http/errors/http-error.ts'

/** Both heads as lines of text, the request's before the response's. */
export function toHead(exchange: Exchange): string {
  return `${toRequestHead(exchange)}\n${toResponseHead(exchange)}`
}

/** In HTTP/2 there are no such lines; they say the same. */
export function toRequestHead({ request }: Exchange): string {
  const { method, target, httpVersion, rawHeaders } = request
  const lines = [`${method} ${target} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    lines.push(`${name}: ${value}`)
  }
  return `${lines.join('\n')}\n`
}

export function toResponseHead({ request, response }: Exchange): string {
  const { status, headers } = response
  const lines = [`HTTP/${request.httpVersion} ${String(status)} ${toReasonPhrase(status) ?? ''}`]
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) lines.push(`${name}: ${String(value)}`)
  }
  return `${lines.join('\n')}\n`
}
