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

function toScript(request: CommandRequest): string {
  const { body } = request
  const append = (name: string) => `form.append(${quote(name)}, new Blob(["text"]), "file.txt")`
  return [
    ...(body?.kind === 'file' ? ['const form = new FormData()', append(body.name)] : []),
    toFetch(request),
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function toPython(request: CommandRequest): string {
  const { method, url, body } = request
  const headers = Object.fromEntries(toHeaders(request, /^content-type:/i))
  const lines = [
    quote(url),
    Object.keys(headers).length > 0 && `headers=${toPythonLiteral(headers)}`,
    body?.kind === 'json' && `json=${toPythonLiteral(body.value)}`,
    body?.kind === 'text' && `data=${quote(body.text)}.encode()`,
    body?.kind === 'file' && `files={${quote(body.name)}: open("file.txt", "rb")}`,
  ].flatMap((line) => (line === false ? [] : `    ${line},\n`))
  return `import requests

response = requests.${method.toLowerCase()}(
${lines.join('')})
print(response.status_code, response.text)`
}

const pythonTokens = new Map(
  Object.entries({ true: 'True', false: 'False', null: 'None', ':': ': ', ',': ', ' }),
)

/** JSON with the names of Python. */
function toPythonLiteral(value: unknown): string {
  const token = /"(?:[^"\\]|\\.)*"|true|false|null|[:,]/g
  return JSON.stringify(value).replace(token, (found) => pythonTokens.get(found) ?? found)
}

function toGo({ method, url, headers, body }: CommandRequest): string {
  const form = body?.kind === 'file' ? toGoForm(body.name) : []
  const isForm = form.length > 0
  const text =
    body?.kind === 'json' ? JSON.stringify(body.value) : body?.kind === 'text' && body.text
  const reader = isForm ? '&body' : text ? `strings.NewReader(${quote(text)})` : 'nil'
  const imports = isForm ? ['bytes', 'mime/multipart'] : text ? ['strings'] : []
  const statements = [
    ...form,
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

const toGoForm = (name: string) => [
  'var body bytes.Buffer',
  'form := multipart.NewWriter(&body)',
  `part, _ := form.CreateFormFile(${quote(name)}, "file.txt")`,
  'io.WriteString(part, "text")',
  'form.Close()',
]
const goCheck = ['if err != nil {', '\tpanic(err)', '}']
const indent = (lines: readonly string[]) => lines.map((line) => `\n\t${line}`).join('')
