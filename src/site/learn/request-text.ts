import { toCurl, toWindows, type CommandBody } from '../commands/commands.ts'
import type { LessonStep } from './lesson.ts'

export function toTexts(step: LessonStep, origin: string) {
  const { method, path, headers = {}, fields, curlFlags = [] } = step
  const form = new URLSearchParams(fields).toString()
  const isQuery = method === 'GET' && form !== ''
  const target = isQuery ? `${path}?${form}` : path
  const body = toBody(step, form)
  const content = body && toContent(step, body, form)
  const type = 'application/x-www-form-urlencoded'
  const all = {
    Host: new URL(origin).host,
    ...(body?.kind === 'text' && { 'Content-Type': type }),
    ...(body?.kind === 'file' && { 'Content-Type': 'multipart/form-data; boundary=X' }),
    ...headers,
    // The lines of the message end with CRLF.
    ...(content && { 'Content-Length': Buffer.byteLength(content.replaceAll('\n', '\r\n')) }),
  }
  const lines = Object.entries(all).map((header) => header.join(': '))
  const request = { method, url: origin + target, headers: Object.entries(headers), body }
  const curl = toCurl(request, ['-i', ...curlFlags])
  return {
    text: [`${method} ${target} HTTP/1.1`, ...lines, ...(content ? ['', content] : [])].join('\n'),
    curl,
    windows: toWindows(curl),
  }
}

const toMultipart = (name: string) => `--X
Content-Disposition: form-data; name="${name}"; filename="file.txt"
Content-Type: text/plain

Glass and brass
--X--`

function toContent({ fields }: LessonStep, body: NonNullable<CommandBody>, form: string): string {
  if (body.kind === 'file') return toMultipart(body.name)
  return body.kind === 'json' ? JSON.stringify(fields) : form
}

function toBody(step: LessonStep, form: string): CommandBody {
  const { method, headers = {}, fields, file } = step
  if (file !== undefined) return { kind: 'file', name: file }
  if (method === 'GET' || fields === undefined) return undefined
  return 'Content-Type' in headers ? { kind: 'json', value: fields } : { kind: 'text', text: form }
}
