import type { Exchange } from './exchange-log.ts'
import { toReasonPhrase } from '../http/errors/http-error.ts'

/** The headers of the request, then of the response, in HTTP/1.1 notation. */
export function toHead(exchange: Exchange): string {
  return `${toRequestHead(exchange)}\n${toResponseHead(exchange)}`
}

export function toRequestHead({ request }: Exchange): string {
  const { method, target, httpVersion } = request
  const lines = toFields(request).map(([name, value]) => `${name}: ${value}`)
  return `${[`${method} ${target} HTTP/${httpVersion}`, ...lines].join('\n')}\n`
}

export function toFields({ rawHeaders }: Exchange['request']): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )
}

export function toResponseHead({ request, response }: Exchange): string {
  const { status, headers } = response
  const lines = [`HTTP/${request.httpVersion} ${String(status)} ${toReasonPhrase(status) ?? ''}`]
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) lines.push(`${name}: ${String(value)}`)
  }
  return `${lines.join('\n')}\n`
}
