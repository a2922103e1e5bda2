import type { XStatic } from 'typebox/schema'
import { isObject } from '../config/is-object.ts'
import { findJson } from '../config/find-json.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { createByteCollector } from '../http/body/read-bytes.ts'
import { textSchema } from '../stores/records/records.ts'
import { toPrintable } from './format.ts'

export interface BinSource {
  url: string
  authorization: string
  event?: string
  /** The id of the latest request that was sent; empty before the first one. */
  request: string
  listed: Set<string>
  isLost?: boolean
  waiting?: ListedRequest
}

const listedRequestSchema = {
  type: 'object',
  required: ['id', 'method', 'path', 'target', 'requestFields'],
  properties: {
    id: textSchema,
    method: textSchema,
    path: textSchema,
    target: textSchema,
    requestFields: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 2, prefixItems: [textSchema, textSchema] },
    },
    requestBody: { type: 'object' },
    isTooLarge: { type: 'boolean' },
  },
} as const

export type ListedRequest = XStatic<typeof listedRequestSchema>

const validator = compileLater(listedRequestSchema)
/** With escapes, a request of a list has less than 1 MiB. */
const maxLineLength = 4 * 1024 * 1024
const lineFeed = 10

export class BinUnavailable extends Error {}

export async function get({ url, authorization }: BinSource, path: string, more = {}) {
  const response = await fetch(url + path, { headers: { authorization, ...more } })
  const { ok, status } = response
  if (ok) return response
  if (status === 404 && path.includes('/requests/')) return undefined
  const problem = findJson(String(await readAll(response.body, maxLineLength)))
  if (![400, 401, 404, 410].includes(status) || !isObject(problem))
    throw new Error(`the bin responds with ${String(status)}`)
  throw new BinUnavailable(toPrintable(String(problem.detail)))
}

/** Yields the requests of a list, or the one at the path. Throws if the response is not that of a bin. */
export async function* list(source: BinSource, pathOrQuery: string): AsyncGenerator<ListedRequest> {
  const accept = 'application/x-ndjson, application/json'
  const response = await get(source, `/requests${pathOrQuery}`, { accept })
  for await (const line of readLines(response?.body))
    for (const one of [findJson(line)].flat()) {
      if (!validator().Check(one)) throw new BinUnavailable('The response is not that of a bin.')
      yield one
    }
}

/** The first event has no name, and the id with which the stream begins. */
export async function* readEvents(source: BinSource) {
  const last = source.event && { 'last-event-id': source.event }
  const response = await get(source, '/events', { accept: 'text/event-stream', ...last })
  let [name, id, text] = ['', '', '{}']
  for await (const line of readLines(response?.body)) {
    const [, field = '', rest = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (field === 'event') name = rest
    if (field === 'id') id = rest
    if (field === 'data') text = rest
    if (line !== '' || id === '') continue
    const value = findJson(text)
    yield { name, id, value: isObject(value) ? value : {} }
    ;[name, id, text] = ['', '', '{}']
  }
}

type ByteChunks = AsyncIterable<Uint8Array> | null | undefined

async function* readLines(body: ByteChunks): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    if (rest.length > maxLineLength) throw new BinUnavailable('The bin sends too long a line.')
    // To split also flattens, which would take long for each of many small chunks.
    if (!chunk.includes(lineFeed)) continue
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

export async function readAll(body: ByteChunks, maxBytes: number): Promise<Buffer> {
  const bytes = createByteCollector(maxBytes)
  for await (const chunk of body ?? [])
    if (!bytes.add(Buffer.from(chunk))) throw new BinUnavailable('The bin sends too large a body.')
  return bytes.toBuffer()
}
