import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { maxStubs, mebibyte } from '../config/limits.ts'
import { maskRequestTarget } from '../inspector/recorder/mask-body.ts'
import type { Description } from '../responses/description.ts'
import { parseStubs } from '../stubs/parse-stubs.ts'
import { addResponse, type Groups } from './group-responses.ts'
import { parseEntry, toFields, type HarEntry } from './parse-entry.ts'
import { InvalidHar, maxEntryBytes, readEntries } from './read-entries.ts'
import { defaultTypeOf, toResponse, type Body } from './to-response.ts'
import { toStub } from './to-stubs.ts'

/** Returns the path of the file, as a stub names it. */
export type SaveFile = (bytes: Buffer, type: string | undefined) => string

/** Longer bodies, and those that are not text, are files. */
const maxInlineLength = 16_384
/** The parser of YAML accepts two mebibytes. */
const maxAllInlineLength = mebibyte
/** What all descriptions take of the memory. */
const maxDescriptionLength = 32 * mebibyte

export type Imported = Awaited<ReturnType<typeof importHar>>

/** Throws {@link InvalidHar}. */
export async function importHar(path: string, config: Config, saveFile: SaveFile) {
  const groups: Groups = new Map()
  const { notes, note } = createNotes()
  const addBody = createBodies(saveFile)
  let [entries, length] = [0, 0]
  for await (const text of readEntries(path)) {
    entries += 1
    if (text.bytes === undefined) {
      const reason = `Left out, larger than ${String(maxEntryBytes / mebibyte)} MiB`
      note(reason, `log.entries[${String(text.index)}]`)
      continue
    }
    const entry = parseEntry(text, text.bytes)
    const what = toShown(entry)
    const url = toUrl(entry)
    const unusable = url === undefined ? 'URL of another scheme' : findUnusable(entry, url)
    if (url === undefined || unusable !== undefined) {
      note(`Left out, ${unusable ?? ''}`, what)
      continue
    }
    const {
      description: head,
      body,
      secrets,
      isIncomplete,
    } = toResponse(entry, config.maxJsonDepth)
    const description = { ...head, ...addBody(body, head.type) }
    length += JSON.stringify(description).length
    if (length > maxDescriptionLength)
      throw new InvalidHar(
        `log.entries[${String(text.index)}] (line ${String(text.line)}) is one too many for a file of stubs`,
      )
    if (isIncomplete) note('Without the whole body, which the archive does not have', what)
    const { method } = entry.request
    const shownPath = maskRequestTarget(url.pathname)
    const excess = addResponse(groups, { method, url, path: shownPath, description, secrets })
    if (excess !== undefined) note(`Left out, ${excess}`, what)
  }
  return { ...finish(groups, config, note), entries, notes }
}

type Note = (reason: string, what: string) => void

const maxNames = 20

function createNotes() {
  const notes = new Map<string, { names: Set<string>; count: number }>()
  const note: Note = (reason, what) => {
    const { names, count } = notes.get(reason) ?? { names: new Set<string>(), count: 0 }
    if (names.size < maxNames) names.add(what)
    notes.set(reason, { names, count: count + 1 })
  }
  return { notes, note }
}

/** Adds the body of each response as text, or as a file. */
function createBodies(saveFile: SaveFile) {
  const files = new Map<string, string>()
  let left = maxAllInlineLength
  const findFile = (bytes: Buffer, type: string | undefined) => {
    const digest = hash('sha256', bytes)
    const file = files.get(digest) ?? saveFile(bytes, type)
    files.set(digest, file)
    return file
  }
  return ({ bytes, inline }: Body, type: string | undefined): Description => {
    if (bytes.length === 0) return {}
    const isShort = bytes.length <= Math.min(maxInlineLength, left)
    if (!isShort) {
      const own = type ?? (inline && defaultTypeOf(inline))
      return { ...(own !== undefined && { type: own }), file: findFile(bytes, own) }
    }
    left -= bytes.length
    return inline ?? { base64: bytes.toString('base64') }
  }
}

const toShown = ({ request: { method, url } }: HarEntry) =>
  `${method} ${maskRequestTarget(url.replace(/[?#].*$/s, ''))}`

function toUrl({ request }: HarEntry): URL | undefined {
  const url = URL.parse(request.url)
  return url && /^(https?|wss?):$/.test(url.protocol) ? url : undefined
}

function findUnusable({ request, response }: HarEntry, url: URL): string | undefined {
  const { status, content = {} } = response
  const isPreflight =
    request.method === 'OPTIONS' &&
    toFields(request.headers).some(([name]) => /^access-control-request-method$/i.test(name))
  if (isPreflight) return 'CORS preflight, to which Vitrine responds itself'
  if (status === 101 || url.protocol.startsWith('ws')) return 'WebSocket'
  if (status < 200 || status > 599) return 'no response'
  if (status === 304 && !content.text) return '304, whose body only the client had'
  const [, location = ''] =
    toFields(response.headers).find(([name]) => /^location$/i.test(name)) ?? []
  const target = URL.parse(location, url.href)
  const isUpgrade =
    url.protocol === 'http:' && target?.href === url.href.replace(/^http:/, 'https:')
  return isUpgrade ? 'redirect from http to https' : undefined
}

/** Checks each stub as the start of the service does, and leaves out those that would stop it. */
function finish(groups: Groups, config: Config, note: Note) {
  const hosts = new Set([...groups.values()].map(({ host }) => host))
  const stubs: Record<string, unknown> = {}
  const secrets = new Map<string, readonly string[]>()
  for (const group of groups.values()) {
    const [name, value] = toStub(group, hosts)
    const problems: string[] = []
    parseStubs({ [name]: value }, { ...config, folder: '.' }, (reason) => problems.push(reason))
    const [problem] =
      Object.keys(stubs).length < maxStubs ? problems : [`more than ${String(maxStubs)} stubs`]
    if (problem === undefined) stubs[name] = value
    if (problem === undefined && group.secrets.size > 0) secrets.set(name, [...group.secrets])
    if (problem !== undefined) note(`Left out, ${problem}`, name)
  }
  return { stubs, secrets }
}
