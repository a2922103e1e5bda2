import type { FastifyRequest } from 'fastify'
import { HttpError, unknownParameter } from '../../http/errors/http-error.ts'
import { chooseType, typeBySuffix } from '../../http/negotiation/negotiate.ts'
import { toPath } from '../../http/request/target.ts'
import { toCsvLine } from '../../http/response/csv.ts'
import {
  toJsonArray,
  sendTagged,
  toTaggedText,
  sendChunks,
  toContentType,
  type TaggedText,
} from '../../http/response/send.ts'
import { isClosed } from '../../http/response/finish-responses.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { toPosition, type Collection, type StoredRecord } from '../../stores/records/records.ts'
import { sortTypes, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { recordToCsv, recordToLine, toLines, toRepresentation } from '../record/representations.ts'
import { takePageFlash } from '../record/show.ts'
import type { ListView } from './list-controls.ts'
import { toCursor } from './list-cursor.ts'
import { listPage } from './list-page.ts'
import { acceptQuery, findParameters, toHref } from './list-parameters.ts'
import { parseListQuery } from './list-query.ts'

type ListType = (typeof typeBySuffix)[keyof typeof typeBySuffix]

const listTypes = Object.values(typeBySuffix)

/** All records, streamed, or a part with a tag, `X-Total-Count` and links to the other pages. */
export function list({ resource, collection, config }: ResourceContext): Handler {
  const findSentPages = createPageCache(collection)
  const types = sortTypes(resource, listTypes)
  return async (request, reply) => {
    const type = chooseType(request, reply, types)
    reply.headers({ 'cache-control': 'private, no-cache', 'accept-query': acceptQuery })
    const flash = takePageFlash(request, reply, type)
    const key = `${type} ${request.url}`
    const isPlain = request.method !== 'QUERY' && flash === undefined
    // The pages of the time before the read: this one may lack later writes.
    const sentPages = isPlain ? await findSentPages() : undefined
    const sent = sentPages?.get(key)
    if (sent) return sendTagged(request, reply.headers(sent.headers), sent.content)
    const { query, url, toUrl } = parseRequest(resource, request)
    // A QUERY can be longer than a URL may be. This is the longest URL of a page.
    const { length } = toUrl(Number.MAX_SAFE_INTEGER)
    const hasUrl = length <= config.maxUrlBytes
    // RFC 10008 §2: a GET of Location has the same result.
    if (request.method === 'QUERY' && 2 * length <= config.maxUrlBytes) {
      reply.header('location', toUrl())
    }
    const found = { ...query.records, isCancelled: () => isClosed(reply.raw) }
    const view = { query, links: [], flash, place: reply, ...(hasUrl && { url }) }
    const { part } = query
    if (part === undefined) {
      const chunks = render(resource, { ...view, type, pages: collection.pages(found) })
      return sendChunks(reply, type, chunks)
    }
    const total = await collection.count(found)
    // One record more, to know whether another page follows.
    const rows = await collection.list(found, { ...part, limit: part.limit + 1 })
    const shown = rows.slice(0, part.limit)
    const last = rows.length > shown.length ? shown.at(-1) : undefined
    const cursor = last && toCursor(resource, found, toPosition(found, last))
    // Clients read at most 16 KiB of headers, and there are four links.
    const maxLength = config.maxUrlBytes - 3 * length
    const toNext = (page: number) =>
      [toUrl(page, cursor), toUrl(page)].find((href) => href.length <= maxLength) ?? toUrl(page)
    const page = hasUrl ? part.page : undefined
    const links = page ? toPageLinks({ ...page, total }, toUrl, last && toNext) : []
    const link = length <= maxLength ? toLinkField(links) : ''
    const headers = { 'x-total-count': String(total), ...(link && { link }) }
    reply.headers(headers)
    const chunks = render(resource, { ...view, type, pages: onePage(shown), links, total })
    let text = ''
    for await (const chunk of chunks) text += chunk
    // A page with a message is not to be revalidated.
    if (flash !== undefined) return reply.type(toContentType(type)).send(text)
    const content = toTaggedText(type, text)
    if (text.length <= maxSentLength) sentPages?.set(key, { headers, content })
    return sendTagged(request, reply, content)
  }
}

interface SentPage {
  headers: Readonly<Record<string, string>>
  content: TaggedText
}

const maxSentPages = 50
const maxSentLength = 40_000

/** The pages that have been sent since any process last wrote; undefined where that is not known. */
function createPageCache({ state }: Collection) {
  let pages = new Map<string, SentPage>()
  let lastState: number | undefined
  return async () => {
    const current = await state?.()
    if (current !== lastState || pages.size >= maxSentPages) pages = new Map()
    lastState = current
    return current === undefined ? undefined : pages
  }
}

/** Throws 400 for a bad parameter, 422 with QUERY, whose body may have it. */
function parseRequest(resource: Resource, request: FastifyRequest) {
  try {
    const path = toPath(request.url)
    const given = findParameters(resource, request)
    const query = parseListQuery(resource, given)
    const pageName = given.has('_page') ? '_page' : 'page'
    const toUrl = (page?: number, after?: string) => {
      const changes = page === undefined ? {} : { [pageName]: String(page), after }
      return toHref({ path, parameters: given }, changes)
    }
    return { query, url: { path, parameters: query.parameters }, toUrl }
  } catch (error) {
    const isParameter = error instanceof HttpError && error.problem === 'invalid-fields'
    throw isParameter && request.method !== 'QUERY' ? unknownParameter(error.message) : error
  }
}

function render(resource: Resource, list: ListView & { type: ListType }): AsyncGenerator<string> {
  const { type, pages, query } = list
  const fields = query.fields ?? resource.visible.map(({ name }) => name)
  const toShown = (record: StoredRecord) => toRepresentation(resource, record, query.fields)
  switch (type) {
    case 'application/json':
      return toJsonArray(pages, toShown)
    case 'application/x-ndjson':
      return toLines(pages, (record) => `${JSON.stringify(toShown(record))}\n`)
    case 'text/csv':
      return toLines(pages, (record) => recordToCsv(toShown(record), fields), toCsvLine(fields))
    case 'text/plain':
      return toLines(pages, (record) => recordToLine(resource, record))
    case 'text/html':
      return listPage(resource, list)
  }
}

async function* onePage(records: readonly StoredRecord[]) {
  yield records
}
