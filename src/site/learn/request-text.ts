import { toCurl, type CommandRequest } from '../../inspector/commands.ts'
import type { Step } from './lesson.ts'

/** The request as HTTP/1.1 sends it, without the headers that every client adds, and as a command. */
export function toTexts(step: Step, origin: string): { text: string; curl: string } {
  const { method, path, headers = {}, fields, curlFlags = [] } = step
  const form = new URLSearchParams(fields).toString()
  const isQuery = method === 'GET' && form !== ''
  const target = isQuery ? `${path}?${form}` : path
  const body = toBody(step, form)
  const type = 'application/x-www-form-urlencoded'
  const all = {
    Host: new URL(origin).host,
    ...(body?.kind === 'text' && { 'Content-Type': type }),
    ...headers,
  }
  const lines = Object.entries(all).map((header) => header.join(': '))
  const content = body && ['', body.kind === 'json' ? JSON.stringify(fields) : form]
  const request = { method, url: origin + target, headers: Object.entries(headers), body }
  return {
    text: [`${method} ${target} HTTP/1.1`, ...lines, ...(content ?? [])].join('\n'),
    curl: toCurl(request, ['-i', ...curlFlags]),
  }
}

function toBody({ method, headers = {}, fields }: Step, form: string): CommandRequest['body'] {
  if (method === 'GET' || fields === undefined) return undefined
  return 'Content-Type' in headers ? { kind: 'json', value: fields } : { kind: 'text', text: form }
}
