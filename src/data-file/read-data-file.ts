import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { formatMebibytes } from '../config/format-count.ts'
import { isUrl } from '../config/parse-settings.ts'
import { timeoutSignal } from '../timers.ts'

export interface DataText {
  source: string
  text: string
  isYaml: boolean
}

const maxDataBytes = 64 * 1024 ** 2
const fetchSeconds = 30
const maxRedirects = 5

/** It has one line for a person. */
export class UnreadableData extends Error {}

/** Throws {@link UnreadableData}. */
export async function readSource(source: string): Promise<DataText> {
  if (!isUrl(source) && /\.[cm]?[jt]s$/i.test(source))
    throw new UnreadableData(toProgramError(source))
  const { bytes, type } = isUrl(source) ? await fetchData(source) : readLocal(source)
  if (!isUtf8(bytes)) throw new UnreadableData(`${withoutSecrets(source)} is not valid UTF-8`)
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
    throw new UnreadableData(`${source} cannot be read: ${toMessage(error)}`, { cause: error })
  }
}

const tooLarge = `it is larger than ${formatMebibytes(maxDataBytes)}`

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
    throw new UnreadableData(`${withoutSecrets(source)} cannot be fetched: ${reason}`, {
      cause: error,
    })
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

export function toMessage(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/:$/, '')
}
