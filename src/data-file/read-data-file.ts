import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { parse as parseJson } from 'secure-json-parse'
import { assertDepth } from '../http/body/parse-json.ts'
import { isUrl } from '../config/parse-settings.ts'
import { timeoutSignal } from '../timers.ts'

export interface DataText {
  source: string
  text: string
  isYaml: boolean
}

const maxDataBytes = 64 * 1024 ** 2
/** Parsing YAML takes a hundred times its size in memory. */
const maxYamlBytes = 2 * 1024 ** 2
const fetchSeconds = 30
const maxRedirects = 5

/** Throws an error with one line for a person. */
export async function readDataText(source: string): Promise<DataText> {
  if (!isUrl(source) && /\.[cm]?[jt]s$/i.test(source)) throw new Error(toProgramError(source))
  const { bytes, type } = isUrl(source) ? await fetchData(source) : readLocal(source)
  if (!isUtf8(bytes)) throw new Error(`${withoutSecrets(source)} is not valid UTF-8`)
  const path = isUrl(source) ? new URL(source).pathname : source
  const isYaml = /\.ya?ml$/i.test(path) || /\byaml\b/i.test(type)
  return { source, text: new TextDecoder().decode(bytes), isYaml }
}

/** json-server runs a program that exports a function. */
function toProgramError(source: string): string {
  const path = /^[./\\]|^\w:/.test(source) ? source : `./${source}`
  const command = `node -e "import('${path}').then((file) => console.log(JSON.stringify(file.default())))" > db.json`
  return `${source} is a program, and Vitrine runs none. Write its data to a file: ${command}`
}

function readLocal(source: string) {
  try {
    if (statSync(source).size > maxDataBytes) throw new Error(tooLarge)
    return { bytes: readFileSync(source), type: '' }
  } catch (error) {
    throw new Error(`${source} cannot be read: ${toMessage(error)}`, { cause: error })
  }
}

const tooLarge = `it is larger than ${String(maxDataBytes / 1024 ** 2)} MiB`

async function fetchData(source: string) {
  const signal = timeoutSignal(fetchSeconds * 1000)
  try {
    const response = await followRedirects(source, signal)
    if (!response.ok) throw new Error(`it responded with ${String(response.status)}`)
    const chunks: Uint8Array[] = []
    let size = 0
    const body: AsyncIterable<Uint8Array> | null = response.body
    for await (const chunk of body ?? []) {
      size += chunk.length
      if (size > maxDataBytes) throw new Error(tooLarge)
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks), type: response.headers.get('content-type') ?? '' }
  } catch (error) {
    // `fetch` has one message for all failures of the connection, with the failure as the cause.
    const cause = error instanceof TypeError ? (error.cause ?? error) : error
    const failure = toMessage(cause) || toMessage(error)
    const reason = signal.aborted ? `no response in ${String(fetchSeconds)} s` : failure
    throw new Error(`${withoutSecrets(source)} cannot be fetched: ${reason}`, { cause: error })
  }
}

async function followRedirects(source: string, signal: AbortSignal): Promise<Response> {
  const accept = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.1'
  let url = source
  for (let count = 0; count <= maxRedirects; count += 1) {
    const headers = { accept, ...toAuthorization(url) }
    const response = await fetch(withoutSecrets(url), { redirect: 'manual', headers, signal })
    const location = response.headers.get('location')
    if (location === null || response.status < 300 || response.status > 399) return response
    await response.body?.cancel()
    url = new URL(location, url).href
    if (!isUrl(url)) throw new Error('it redirects to another scheme than http and https')
  }
  throw new Error(`it redirects more than ${String(maxRedirects)} times`)
}

/** The credentials are for this URL only: a redirect to another host loses them. */
function toAuthorization(url: string) {
  const { username, password } = new URL(url)
  if (username + password === '') return {}
  const credentials = decodeURIComponent(`${username}:${password}`)
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

export function withoutSecrets(source: string): string {
  return source.replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
}

export function toFileName(source: string): string {
  return basename(isUrl(source) ? new URL(source).pathname : source)
}

export function hashTexts(...texts: readonly string[]): string {
  return hash('sha256', JSON.stringify(texts))
}

/** Accepts only values that JSON has: no cycles, no infinite numbers, and no `__proto__`. */
export async function parseDataText(
  { source, text, isYaml }: DataText,
  maxJsonDepth: number,
): Promise<unknown> {
  const format = isYaml ? 'YAML' : 'JSON'
  try {
    const json = isYaml ? await yamlToJson(text) : text
    assertDepth(json, maxJsonDepth)
    return parseJson(json, maybeInfinite.test(json) ? assertJsonNumber : null)
  } catch (error) {
    const isExhausted = error instanceof RangeError || /call stack/.test(toMessage(error))
    const reason = isExhausted ? 'it is nested too deeply, or too large' : toPlaced(error, text)
    throw new Error(`${withoutSecrets(source)} cannot be read as ${format}: ${reason}`, {
      cause: error,
    })
  }
}

async function yamlToJson(text: string): Promise<string> {
  if (text.length > maxYamlBytes) throw new Error('it is larger than 2 MiB: convert it to JSON')
  // esbuild gives a CommonJS module only a default export.
  const { default: yaml } = await import('yaml')
  const { parseDocument, visit } = yaml
  // The check of the parser for unique keys takes the square of their number.
  const document = parseDocument(text, { merge: true, stringKeys: true, uniqueKeys: false })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw problem
  visit(document, {
    Map: (_, { items }) => {
      assertUniqueKeys(items.map(({ key }) => String(key)))
    },
  })
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  return JSON.stringify(value, assertJsonNumber)
}

/** In JSON, 1e400 or a number of more than 308 digits is infinite. */
const maybeInfinite = /e\+?\d{3}|\d{309}/i

function assertJsonNumber(name: string, member: unknown): unknown {
  const isStorable = typeof member !== 'number' || Number.isFinite(member)
  if (isStorable && typeof member !== 'bigint') return member
  throw new Error(`${name} is a number that JSON does not have`)
}

function assertUniqueKeys(keys: readonly string[]): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key)) throw new Error(`a map has the key ${key} twice`)
    seen.add(key)
  }
}

/** V8 has the line and the column in its other messages. */
const hasNoPlace = /^Unexpected end|is not valid JSON$/

function toPlaced(error: unknown, text: string): string {
  if (!(error instanceof SyntaxError && hasNoPlace.test(error.message))) return toMessage(error)
  const [what = 'Unexpected text'] =
    /^Unexpected (token '.+?'|end of JSON input)/su.exec(error.message) ?? []
  const lines = text.slice(0, findPosition(text)).split('\n')
  const column = String((lines.at(-1)?.length ?? 0) + 1)
  return `${what} (line ${String(lines.length)} column ${column})`
}

/** The length of the longest start of the text that can continue as JSON. */
function findPosition(text: string): number {
  let [position, end] = [0, text.length]
  while (position < end) {
    const middle = Math.ceil((position + end) / 2)
    if (canContinue(text.slice(0, middle))) position = middle
    else end = middle - 1
  }
  return position
}

function canContinue(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { message } = error
    const [, position] = / at position (\d+) \(line \d+ column \d+\)$/.exec(message) ?? []
    return Number(position) === text.length || message.startsWith('Unexpected end')
  }
}

function toMessage(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/:$/, '')
}
