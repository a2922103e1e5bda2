import { toCurl, type CommandRequest } from '../../inspector/commands.ts'
import type { Step } from './lesson.ts'

/** The request as HTTP/1.1 sends it, without the headers that every client adds, and as commands. */
export function toTexts(step: Step, origin: string) {
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
  const curl = toCurl(request, ['-i', ...curlFlags])
  return {
    text: [`${method} ${target} HTTP/1.1`, ...lines, ...(content ?? [])].join('\n'),
    curl,
    windows: toWindows(curl),
  }
}

/** For the command prompt of Windows, which knows no single quotes. No lesson has one, or a `%` for a variable. */
function toWindows(curl: string): string {
  const quote = (text: string) => `"${text.replaceAll('"', String.raw`\"`)}"`
  return curl
    .replace(/^curl/, 'curl.exe')
    .replaceAll(' \\\n ', '')
    .replaceAll(/'([^']*)'/g, (_, text: string) => quote(text))
}

function toBody({ method, headers = {}, fields }: Step, form: string): CommandRequest['body'] {
  if (method === 'GET' || fields === undefined) return undefined
  return 'Content-Type' in headers ? { kind: 'json', value: fields } : { kind: 'text', text: form }
}
