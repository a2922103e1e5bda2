import { quoteForShell } from '../../inspector/commands.ts'
import type { Step } from './lesson.ts'

const formType = 'application/x-www-form-urlencoded'

function toTarget({ method, path, fields }: Step): string {
  return method === 'GET' && fields ? `${path}?${new URLSearchParams(fields).toString()}` : path
}

/** The request as HTTP/1.1 sends it, without the headers that every client adds. */
export function toRequestText(step: Step, origin: string): string {
  const { method, headers = {}, fields } = step
  const hasBody = method !== 'GET' && fields !== undefined
  const all = {
    Host: new URL(origin).host,
    ...(hasBody && { 'Content-Type': formType }),
    ...headers,
  }
  const lines = Object.entries(all).map((header) => header.join(': '))
  const form = new URLSearchParams(fields).toString()
  const body = all['Content-Type'] === formType ? form : JSON.stringify(fields)
  return [`${method} ${toTarget(step)} HTTP/1.1`, ...lines, ...(hasBody ? ['', body] : [])].join(
    '\n',
  )
}

export function toCurl(step: Step, origin: string): string {
  const { method, headers = {}, fields = {}, curlFlags = [] } = step
  const isJson = 'Content-Type' in headers
  const isPost = method === 'POST' && Object.keys(fields).length > 0
  const shown = Object.entries(headers).filter(([name]) => name !== 'Content-Type')
  const content =
    method === 'GET'
      ? []
      : isJson
        ? [`--json ${quoteForShell(JSON.stringify(fields))}`]
        : Object.entries(fields).map(
            (field) => `--data-urlencode ${quoteForShell(field.join('='))}`,
          )
  return [
    `curl -i ${quoteForShell(origin + toTarget(step))}`,
    ...(method === 'GET' || isPost ? [] : [`-X ${method}`]),
    ...curlFlags,
    ...shown.map((header) => `-H ${quoteForShell(header.join(': '))}`),
    ...content,
  ].join(' \\\n  ')
}
