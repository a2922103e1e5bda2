import { toCurl, toWindows, type CommandRequest } from '../../inspector/commands.ts'
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
    ...(body?.kind === 'file' && { 'Content-Type': 'multipart/form-data; boundary=X' }),
    ...headers,
  }
  const lines = Object.entries(all).map((header) => header.join(': '))
  const text = body?.kind === 'file' ? toMultipart(body.name) : form
  const content = body && ['', body.kind === 'json' ? JSON.stringify(fields) : text]
  const request = { method, url: origin + target, headers: Object.entries(headers), body }
  const curl = toCurl(request, ['-i', ...curlFlags])
  return {
    text: [`${method} ${target} HTTP/1.1`, ...lines, ...(content ?? [])].join('\n'),
    curl,
    windows: toWindows(curl),
  }
}

const toMultipart = (name: string) => `--X
Content-Disposition: form-data; name="${name}"; filename="file.txt"
Content-Type: text/plain

Glass and brass
--X--`

function toBody(step: Step, form: string): CommandRequest['body'] {
  const { method, headers = {}, fields, file } = step
  if (file !== undefined) return { kind: 'file', name: file }
  if (method === 'GET' || fields === undefined) return undefined
  return 'Content-Type' in headers ? { kind: 'json', value: fields } : { kind: 'text', text: form }
}
