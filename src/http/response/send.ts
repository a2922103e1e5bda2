import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { assertPreconditions, testConditions, preconditionFailed } from './preconditions.ts'
import { remember } from '../remember.ts'

export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}

export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(value))
}

export interface TaggedText {
  mediaType: string
  text: string
  etag: string
}

/** The tag is equal on every replica. A page has a weak one, since its markup may change alone. */
export function toTaggedText(mediaType: string, text: string): TaggedText {
  const weak = mediaType === 'text/html' ? 'W/' : ''
  return { mediaType, text, etag: weak + toStrongTag(mediaType + text) }
}

/** Includes the media type, since two representations may both be empty. */
const toStrongTag = remember((text) => `"${hash('sha256', text, 'base64url')}"`)

export function sendTagged(request: FastifyRequest, reply: FastifyReply, tagged: TaggedText) {
  const { mediaType, text, etag } = tagged
  reply.header('etag', etag)
  if (assertPreconditions(request.raw, tagged) === 'not modified') return reply.code(304).send()
  return reply.type(toContentType(mediaType)).send(text)
}

export function toContentType(mediaType: string): string {
  if (mediaType === 'application/x-ndjson') return mediaType
  return `${mediaType}; charset=utf-8${mediaType === 'text/csv' ? '; header=present' : ''}`
}

/** Longer text is streamed, without Content-Length and tag. */
const maxWholeLength = 65_536

type TextChunks = AsyncGenerator<string>

export async function sendChunks(reply: FastifyReply, mediaType: string, chunks: TextChunks) {
  reply.type(toContentType(mediaType))
  let text = ''
  while (text.length <= maxWholeLength) {
    const chunk = await chunks.next()
    // The text is sent as bytes, because Fastify adds a charset to text of every JSON type.
    if (chunk.done === true) return reply.send(Buffer.from(text))
    text += chunk.value
  }
  // Fastify would read the whole stream for a HEAD.
  const isHead = reply.request.method === 'HEAD'
  const content = Readable.from(isHead ? [] : withStart(text, chunks), { objectMode: false })
  // A generator that was never started does not end the inner one.
  content.once('close', () => void chunks.return(undefined))
  return reply.send(content)
}

async function* withStart(start: string, chunks: TextChunks): TextChunks {
  yield start
  yield* chunks
}

type ItemPages<Item> = AsyncIterable<readonly Item[]> | readonly (readonly Item[])[]

export async function* toJsonArray<Item>(
  pages: ItemPages<Item>,
  toValue: (item: Item) => unknown,
): TextChunks {
  let separator = '['
  const toItem = (item: Item) => {
    const text = separator + JSON.stringify(toValue(item))
    separator = ',\n'
    return text
  }
  for await (const page of pages) yield* joinItems(page, toItem)
  yield separator === '[' ? '[]' : ']'
}

export function toJsonLines<Item>(
  pages: ItemPages<Item>,
  toValue: (item: Item) => unknown,
): TextChunks {
  return toLines(pages, (item) => `${JSON.stringify(toValue(item))}\n`)
}

export async function* toLines<Item>(
  pages: ItemPages<Item>,
  toLine: (item: Item) => string,
  heading = '',
): TextChunks {
  yield heading
  for await (const page of pages) yield* joinItems(page, toLine)
}

/** A page can have a thousand long items, so that it is written in parts. */
function* joinItems<Item>(items: readonly Item[], toText: (item: Item) => string) {
  let text = ''
  for (const item of items) {
    text += toText(item)
    if (text.length < maxWholeLength) continue
    yield text
    text = ''
  }
  yield text
}

/** Adds a weak tag to an untagged text. A stream has none, and matches only `*`. */
export function revalidate(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const { headers, method, raw, routeOptions } = request
  if (routeOptions.config.ignoresConditions) return payload
  const isTagged = reply.statusCode !== 200 || reply.hasHeader('etag')
  if (isTagged || !reads.includes(method)) return payload
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
  const etag = isWhole ? toWeakTag(reply, payload.toString()) : ''
  const outcome = testConditions(raw, { etag })
  if (outcome === 'proceed') return payload
  if (payload instanceof Readable) payload.destroy()
  if (outcome === 'failed') throw preconditionFailed(headers, etag)
  // RFC 9110 §15.4.5: a 304 has no content and no headers about it.
  reply.code(304).removeHeader('content-type').removeHeader('content-digest')
  return null
}

const reads = ['GET', 'HEAD', 'QUERY']

function toWeakTag(reply: FastifyReply, text: string): string {
  if (!/no-cache|public/.test(String(reply.getHeader('cache-control')))) return ''
  const etag = `W/${toStrongTag(String(reply.getHeader('content-type')) + text)}`
  reply.header('etag', etag)
  return etag
}
