import { isObject } from '../../http/request/parameters.ts'
import {
  toCurl,
  toFetch,
  toHeaders,
  toHttpie,
  type CommandRequest,
} from '../../inspector/commands.ts'

/** The same request in several languages. */
export const samples: Readonly<Record<string, (request: CommandRequest) => string>> = {
  curl: (request) => toCurl(request),
  fetch: toScript,
  Python: toPython,
  Go: toGo,
  HTTPie: (request) => toHttpie(request),
}

const quote = (text: string) => JSON.stringify(text)

/** The lines that a form needs: one for each field, and some for each file. */
function toFormLines(
  { body }: CommandRequest,
  toField: (name: string, value: string) => string,
  toFile: (name: string) => readonly string[],
): readonly string[] {
  if (body?.kind !== 'parts') return []
  const fields = body.fields.map(([name, value]) => toField(quote(name), quote(value)))
  return [...fields, ...body.files.map(quote).flatMap(toFile)]
}

function toScript(request: CommandRequest): string {
  const form = toFormLines(
    request,
    (name, value) => `form.append(${name}, ${value})`,
    (name) => [`form.append(${name}, new Blob(["text"]), "file.txt")`],
  )
  return [
    ...(form.length > 0 ? ['const form = new FormData()', ...form] : []),
    toFetch(request),
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function toPython(request: CommandRequest): string {
  const { method, url, body } = request
  const headers = Object.fromEntries(toHeaders(request, /^content-type:/i))
  const lines = [
    quote(url),
    ...(Object.keys(headers).length === 0 ? [] : [`headers=${toPythonLiteral(headers)}`]),
    ...(body?.kind === 'json' ? [`json=${toPythonLiteral(body.value)}`] : []),
    ...(body?.kind === 'text' ? [`data=${quote(body.text)}.encode()`] : []),
    ...(body?.kind === 'parts' && body.fields.length > 0
      ? [`data=${toPythonLiteral(Object.fromEntries(body.fields))}`]
      : []),
    ...(body?.kind === 'parts'
      ? [
          `files={ ${body.files.map((name) => `${quote(name)}: open("file.txt", "rb")`).join(', ')} }`,
        ]
      : []),
  ].map((line) => `    ${line},\n`)
  return `import requests

response = requests.${method.toLowerCase()}(
${lines.join('')})
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

function toGo(request: CommandRequest): string {
  const { method, url, headers, body } = request
  const form = toFormLines(
    request,
    (name, value) => `form.WriteField(${name}, ${value})`,
    (name) => [
      `part, _ := form.CreateFormFile(${name}, "file.txt")`,
      'io.WriteString(part, "text")',
    ],
  )
  const text =
    body?.kind === 'json' ? JSON.stringify(body.value) : body?.kind === 'text' && body.text
  const isForm = form.length > 0
  const reader = isForm ? '&body' : text ? `strings.NewReader(${quote(text)})` : 'nil'
  const imports = isForm ? ['bytes', 'mime/multipart'] : text ? ['strings'] : []
  const opening = ['var body bytes.Buffer', 'form := multipart.NewWriter(&body)']
  const statements = [
    ...(isForm ? [...opening, ...form, 'form.Close()'] : []),
    `request, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${reader})`,
    ...goCheck,
    ...headers.map((header) => `request.Header.Set(${header.map(quote).join(', ')})`),
    ...(isForm ? ['request.Header.Set("Content-Type", form.FormDataContentType())'] : []),
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
