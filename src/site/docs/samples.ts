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

type Body = NonNullable<ExampleRequest['body']>
type Fields = readonly (readonly [name: string, value: string])[]

const quote = (text: string) => JSON.stringify(text)

/** `isJsonImplied`: whether the client sets Content-Type to JSON. */
function toHeaders({ accept, body }: ExampleRequest, isJsonImplied: boolean): Fields {
  const json = isJsonImplied ? undefined : 'application/json'
  const type = body?.kind === 'text' ? body.type : body?.kind === 'json' ? json : undefined
  return [
    ...(accept === undefined ? [] : [['Accept', accept] as const]),
    ...(type === undefined ? [] : [['Content-Type', type] as const]),
  ]
}

function toCurl(request: ExampleRequest): string {
  const { method, url, body } = request
  // --json sets Accept and Content-Type.
  const headers = body?.kind === 'json' ? [] : toHeaders(request, true)
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined)
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${quoteForShell(url)}`,
    ...headers.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : toCurlBody(body)),
  ].join(' \\\n  ')
}

function toCurlBody(body: Body): readonly string[] {
  if (body.kind === 'json') return [`--json ${quoteForShell(JSON.stringify(body.value))}`]
  if (body.kind === 'text') return [`-d ${quoteForShell(body.text)}`]
  const fields = body.fields.map(([name, value]) => `${name}=${value}`)
  const files = body.files.map((name) => `${name}=@file.txt`)
  return [...fields, ...files].map((part) => `-F ${quoteForShell(part)}`)
}

function toFetch(request: ExampleRequest): string {
  const { method, url, body } = request
  const headers = toHeaders(request, false)
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quote(method)},\n`]),
    ...(headers.length === 0 ? [] : [`  headers: ${toMembers(headers)},\n`]),
    ...(body === undefined ? [] : [`  body: ${toFetchBody(body)},\n`]),
  ].join('')
  const form = body?.kind === 'parts' ? toFetchForm(body) : ''
  return `${form}const response = await fetch(${quote(url)}${options && `, {\n${options}}`})
console.log(response.status, await response.text())`
}

function toFetchForm({ fields, files }: Extract<Body, { kind: 'parts' }>): string {
  const lines = [
    ...fields.map(([name, value]) => `form.append(${quote(name)}, ${quote(value)})\n`),
    ...files.map((name) => `form.append(${quote(name)}, new Blob(["text"]), "file.txt")\n`),
  ]
  return `const form = new FormData()\n${lines.join('')}`
}

function toFetchBody(body: Body): string {
  if (body.kind === 'parts') return 'form'
  if (body.kind === 'text') return quote(body.text)
  const literal = JSON.stringify(body.value, undefined, 2)
  return `JSON.stringify(${literal.replaceAll('\n', '\n  ')})`
}

function toMembers(fields: Fields): string {
  return `{ ${fields.map(([name, value]) => `${quote(name)}: ${quote(value)}`).join(', ')} }`
}

function toPython(request: ExampleRequest): string {
  const { method, url, body } = request
  const headers = toHeaders(request, true)
  const lines = [
    quote(url),
    ...(headers.length === 0 ? [] : [`headers=${toMembers(headers)}`]),
    ...(body === undefined ? [] : toPythonBody(body)),
  ]
  return `import requests

response = requests.${method.toLowerCase()}(
${lines.map((line) => `    ${line},\n`).join('')})
print(response.status_code, response.text)`
}

function toPythonBody(body: Body): readonly string[] {
  if (body.kind === 'json') return [`json=${toPythonLiteral(body.value)}`]
  if (body.kind === 'text') return [`data=${quote(body.text)}.encode()`]
  const files = body.files.map((name) => `${quote(name)}: open("file.txt", "rb")`)
  return [
    ...(body.fields.length === 0 ? [] : [`data=${toMembers(body.fields)}`]),
    `files={ ${files.join(', ')} }`,
  ]
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
  const { imports, lines, reader } = toGoBody(request.body)
  const statements = [
    ...lines,
    `request, err := http.NewRequest(${quote(request.method)}, ${quote(request.url)}, ${reader})`,
    ...goCheck,
    ...toHeaders(request, false).map(
      ([name, value]) => `request.Header.Set(${quote(name)}, ${quote(value)})`,
    ),
    ...(reader === '&body'
      ? ['request.Header.Set("Content-Type", form.FormDataContentType())']
      : []),
    'response, err := http.DefaultClient.Do(request)',
    ...goCheck,
    'defer response.Body.Close()',
    'text, err := io.ReadAll(response.Body)',
    'fmt.Println(response.Status, string(text), err)',
  ]
  const names = ['fmt', 'io', 'net/http', ...imports].toSorted().map(quote)
  return `package main\n\nimport (${indent(names)}\n)\n\nfunc main() {${indent(statements)}\n}`
}

const goCheck = ['if err != nil {', '\tpanic(err)', '}']
const indent = (lines: readonly string[]) => lines.map((line) => `\n\t${line}`).join('')

function toGoBody(body: ExampleRequest['body']) {
  if (body === undefined) return { imports: [], lines: [], reader: 'nil' }
  if (body.kind !== 'parts') {
    const text = body.kind === 'json' ? JSON.stringify(body.value) : body.text
    return { imports: ['strings'], lines: [], reader: `strings.NewReader(${quote(text)})` }
  }
  const lines = [
    'var body bytes.Buffer',
    'form := multipart.NewWriter(&body)',
    ...body.fields.map(([name, value]) => `form.WriteField(${quote(name)}, ${quote(value)})`),
    ...body.files.flatMap((name) => [
      `part, _ := form.CreateFormFile(${quote(name)}, "file.txt")`,
      'io.WriteString(part, "text")',
    ]),
    'form.Close()',
  ]
  return { imports: ['bytes', 'mime/multipart'], lines, reader: '&body' }
}

function toHttpie(request: ExampleRequest): string {
  const { method, url, body } = request
  const headers = toHeaders(request, true).map(([name, value]) => quoteForShell(`${name}:${value}`))
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
