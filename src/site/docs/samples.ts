import { isObject } from '../../http/request/parameters.ts'
import { quoteForShell } from '../../inspector/commands.ts'
import type { ExampleRequest } from './example-request.ts'

/** The same request in several languages. */
export const samples: Readonly<Record<string, (request: ExampleRequest) => string>> = {
  curl: toCurl,
  fetch: toFetch,
  Python: toPython,
  Go: toGo,
  HTTPie: toHttpie,
}

const quote = (text: string) => JSON.stringify(text)

function toHeaders({ accept, body }: ExampleRequest): readonly (readonly [string, string])[] {
  return [
    ...(accept === undefined ? [] : [['Accept', accept] as const]),
    ...(body?.kind === 'text' ? [['Content-Type', body.type] as const] : []),
  ]
}

function toCurl(request: ExampleRequest): string {
  const { method, url, body } = request
  // --json sets Accept and Content-Type.
  const headers = body?.kind === 'json' ? [] : toHeaders(request)
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined)
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${quoteForShell(url)}`,
    ...headers.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...toCurlBody(body),
  ].join(' \\\n  ')
}

function toCurlBody(body: ExampleRequest['body']): readonly string[] {
  if (body === undefined) return []
  if (body.kind === 'json') return [`--json ${quoteForShell(JSON.stringify(body.value))}`]
  if (body.kind === 'text') return [`-d ${quoteForShell(body.text)}`]
  const fields = body.fields.map(([name, value]) => `${name}=${value}`)
  const files = body.files.map((name) => `${name}=@file.txt`)
  return [...fields, ...files].map((part) => `-F ${quoteForShell(part)}`)
}

function toFetch(request: ExampleRequest): string {
  const { method, url, body } = request
  const type = body?.kind === 'json' ? [['Content-Type', 'application/json'] as const] : []
  const headers = [...toHeaders(request), ...type]
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quote(method)},\n`]),
    ...(headers.length === 0 ? [] : [`  headers: ${toMembers(headers)},\n`]),
    ...(body === undefined ? [] : [`  body: ${toFetchBody(body)},\n`]),
  ].join('')
  const form =
    body?.kind === 'parts'
      ? [
          'const form = new FormData()\n',
          ...body.fields.map(([name, value]) => `form.append(${quote(name)}, ${quote(value)})\n`),
          ...body.files.map(
            (name) => `form.append(${quote(name)}, new Blob(["text"]), "file.txt")\n`,
          ),
        ]
      : []
  return `${form.join('')}const response = await fetch(${quote(url)}${options && `, {\n${options}}`})
console.log(response.status, await response.text())`
}

function toFetchBody(body: NonNullable<ExampleRequest['body']>): string {
  if (body.kind === 'parts') return 'form'
  return body.kind === 'json' ? `JSON.stringify(${toLiteral(body.value)})` : quote(body.text)
}

function toMembers(fields: readonly (readonly [string, string])[]): string {
  return `{ ${fields.map(([name, value]) => `${quote(name)}: ${quote(value)}`).join(', ')} }`
}

function toLiteral(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ')
}

function toPython(request: ExampleRequest): string {
  const { method, url, body } = request
  const headers = toHeaders(request)
  const lines = [
    quote(url),
    ...(headers.length === 0 ? [] : [`headers=${toMembers(headers)}`]),
    ...(body?.kind === 'json' ? [`json=${toPythonLiteral(body.value)}`] : []),
    ...(body?.kind === 'text' ? [`data=${quote(body.text)}.encode()`] : []),
    ...(body?.kind === 'parts' && body.fields.length > 0 ? [`data=${toMembers(body.fields)}`] : []),
    ...(body?.kind === 'parts'
      ? body.files.map((name) => `files={ ${quote(name)}: open("file.txt", "rb") }`)
      : []),
  ]
  return `import requests

response = requests.${method.toLowerCase()}(
${lines.map((line) => `    ${line},\n`).join('')})
print(response.status_code, response.text)`
}

function toPythonLiteral(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(toPythonLiteral).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value)
  return `{ ${members.map(([name, one]) => `${quote(name)}: ${toPythonLiteral(one)}`).join(', ')} }`
}

function toGo(request: ExampleRequest): string {
  const { method, url, body } = request
  const content = toGoBody(body)
  const headers = toHeaders(request).map(([name, value]) => [name, quote(value)] as const)
  const imports = ['fmt', 'io', 'net/http', ...content.imports].toSorted()
  return `package main

import (
${imports.map((name) => `\t${quote(name)}\n`).join('')})

func main() {
${content.lines.map((line) => `\t${line}\n`).join('')}\trequest, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${content.reader})
	if err != nil {
		panic(err)
	}
${[...headers, ...content.type].map(([name, value]) => `\trequest.Header.Set(${quote(name)}, ${value})\n`).join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(text), err)
}`
}

interface GoBody {
  imports: readonly string[]
  lines: readonly string[]
  reader: string
  type: readonly (readonly [string, string])[]
}

function toGoBody(body: ExampleRequest['body']): GoBody {
  if (body === undefined) return { imports: [], lines: [], reader: 'nil', type: [] }
  if (body.kind !== 'parts') {
    const text = body.kind === 'json' ? JSON.stringify(body.value) : body.text
    const type = body.kind === 'json' ? [['Content-Type', '"application/json"'] as const] : []
    return { imports: ['strings'], lines: [], reader: `strings.NewReader(${quote(text)})`, type }
  }
  return {
    imports: ['bytes', 'mime/multipart'],
    lines: [
      'var body bytes.Buffer',
      'form := multipart.NewWriter(&body)',
      ...body.fields.map(([name, value]) => `form.WriteField(${quote(name)}, ${quote(value)})`),
      ...body.files.flatMap((name) => [
        `part, _ := form.CreateFormFile(${quote(name)}, "file.txt")`,
        'io.WriteString(part, "text")',
      ]),
      'form.Close()',
    ],
    reader: '&body',
    type: [['Content-Type', 'form.FormDataContentType()']],
  }
}

function toHttpie(request: ExampleRequest): string {
  const { method, url, body } = request
  const headers = toHeaders(request).map(([name, value]) => quoteForShell(`${name}:${value}`))
  const flag = body?.kind === 'parts' ? '--multipart ' : ''
  return [`http ${flag}${method} ${quoteForShell(url)}`, ...headers, ...toHttpieBody(body)].join(
    ' \\\n  ',
  )
}

function toHttpieBody(body: ExampleRequest['body']): readonly string[] {
  if (body === undefined) return []
  if (body.kind === 'text') return [`--raw ${quoteForShell(body.text)}`]
  if (body.kind === 'parts') {
    const fields = body.fields.map(([name, value]) => `${name}=${value}`)
    return [...fields, ...body.files.map((name) => `${name}@file.txt`)].map(quoteForShell)
  }
  if (!isObject(body.value)) return [`--raw ${quoteForShell(JSON.stringify(body.value))}`]
  return Object.entries(body.value).map(([name, value]) =>
    quoteForShell(
      typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
    ),
  )
}
