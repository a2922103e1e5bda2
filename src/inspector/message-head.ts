import { toReasonPhrase } from '../http/errors/http-error.ts'
import type { Exchange, Fields } from './exchange-log.ts'

export function toRequestHead(exchange: Exchange): string {
  const { method, target, httpVersion, requestFields } = exchange
  return toHead(`${method} ${target} HTTP/${httpVersion}`, requestFields)
}

export function toResponseHead({ httpVersion, status, responseFields }: Exchange): string {
  const reason = toReasonPhrase(status) ?? ''
  return toHead(`HTTP/${httpVersion} ${String(status)} ${reason}`, responseFields)
}

function toHead(line: string, fields: Fields): string {
  return [line, ...fields.map(([name, value]) => `${name}: ${value}`), ''].join('\n')
}
