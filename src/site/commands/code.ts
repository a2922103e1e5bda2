import { toCurl, toCommandHeaders, toHttpie, type CommandRequest } from './commands.ts'

const quote = (text: string) => JSON.stringify(text)

function toObject(headers: CommandRequest['headers']): Readonly<Record<string, string>> {
  const values = Map.groupBy(headers, ([name]) => name.toLowerCase())
  return Object.fromEntries(
    [...values.values()].map((fields) => [
      fields[0]?.[0] ?? '',
      fields.map(([, value]) => value).join(', '),
    ]),
  )
}

export function toFetch({ method, url, headers, body }: CommandRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quote(method)}`]),
    ...(headers.length === 0 ? [] : [`headers: ${toLiteral(toObject(headers))}`]),
    ...(body === undefined ? [] : [`body: ${toFetchBody(body)}`]),
  ].map((option) => `  ${option},\n`)
  const init = options.length === 0 ? '' : `, {\n${options.join('')}}`
  return `const response = await fetch(${quote(url)}${init})`
}

function toFetchBody(body: NonNullable<CommandRequest['body']>): string {
  if (body.kind === 'text') return quote(body.text)
  if (body.kind === 'json') return `JSON.stringify(${toLiteral(body.value)})`
  if (body.kind === 'base64')
    return `Uint8Array.from(atob(${quote(body.base64)}), (one) => one.charCodeAt(0))`
  return body.kind === 'file' ? 'form' : 'content'
}

const toLiteral = (value: unknown) => JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ')

export function toScript(request: CommandRequest): string {
  const { body } = request
  const append = (name: string) => `form.append(${quote(name)}, new Blob(["text"]), "file.txt")`
  return [
    ...(body?.kind === 'file' ? ['const form = new FormData()', append(body.name)] : []),
    toFetch(request),
    'console.log(response.status, await response.text())',
  ].join('\n')
}

const named = /^(get|post|put|patch|delete|head|options)$/i

export function toPython(request: CommandRequest): string {
  const { method, url, body } = request
  const headers = toObject(toCommandHeaders(request, /^content-type:/i))
  const lines = [
    !named.test(method) && quote(method),
    quote(url),
    Object.keys(headers).length > 0 && `headers=${toPythonLiteral(headers)}`,
    body?.kind === 'json' && `json=${toPythonLiteral(body.value)}`,
    body?.kind === 'text' && `data=${quote(body.text)}.encode()`,
    body?.kind === 'base64' && `data=base64.b64decode(${quote(body.base64)})`,
    body?.kind === 'stored' && 'data=open("content", "rb")',
    body?.kind === 'file' && `files={${quote(body.name)}: open("file.txt", "rb")}`,
  ].flatMap((line) => (line === false ? [] : `    ${line},\n`))
  return `${body?.kind === 'base64' ? 'import base64\n' : ''}import requests

response = requests.${named.test(method) ? method.toLowerCase() : 'request'}(
${lines.join('')})
print(response.status_code, response.text)`
}

const pythonTokens = new Map(
  Object.entries({ true: 'True', false: 'False', null: 'None', ':': ': ', ',': ', ' }),
)

function toPythonLiteral(value: unknown): string {
  const token = /"(?:[^"\\]|\\.)*"|true|false|null|[:,]/g
  return JSON.stringify(value).replace(token, (found) => pythonTokens.get(found) ?? found)
}

// Go allows no byte order mark within a source.
const quoteForGo = (text: string) => quote(text).replaceAll('\ufeff', String.raw`\ufeff`)

export function toGo({ method, url, headers, body }: CommandRequest): string {
  const { imports, statements: before = [], reader } = toGoBody(body)
  const statements = [
    ...before,
    `request, err := http.NewRequest(${quoteForGo(method)}, ${quoteForGo(url)}, ${reader})`,
    ...goCheck,
    ...Object.entries(toObject(headers)).map(
      (header) => `request.Header.Set(${header.map(quoteForGo).join(', ')})`,
    ),
    ...(body?.kind === 'file'
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

interface GoBody {
  imports: readonly string[]
  statements?: readonly string[]
  reader: string
}

function toGoBody(body: CommandRequest['body']): GoBody {
  if (body === undefined) return { imports: [], reader: 'nil' }
  if (body.kind === 'stored') {
    const statements = ['content, err := os.Open("content")', ...goCheck]
    return { imports: ['os'], statements, reader: 'content' }
  }
  if (body.kind === 'file') {
    const imports = ['bytes', 'mime/multipart']
    return { imports, statements: toGoForm(body.name), reader: '&body' }
  }
  if (body.kind === 'base64') {
    const encoded = `strings.NewReader(${quote(body.base64)})`
    const reader = `base64.NewDecoder(base64.StdEncoding, ${encoded})`
    return { imports: ['encoding/base64', 'strings'], reader }
  }
  const text = body.kind === 'json' ? JSON.stringify(body.value) : body.text
  return { imports: ['strings'], reader: `strings.NewReader(${quoteForGo(text)})` }
}

const toGoForm = (name: string) => [
  'var body bytes.Buffer',
  'form := multipart.NewWriter(&body)',
  `part, _ := form.CreateFormFile(${quoteForGo(name)}, "file.txt")`,
  'io.WriteString(part, "text")',
  'form.Close()',
]
const goCheck = ['if err != nil {', '\tpanic(err)', '}']
const indent = (lines: readonly string[]) => lines.map((line) => `\n\t${line}`).join('')

export const samples: Readonly<Record<string, (request: CommandRequest) => string>> = {
  curl: (request) => toCurl(request),
  fetch: toScript,
  Python: toPython,
  Go: toGo,
  HTTPie: (request) => toHttpie(request),
}
