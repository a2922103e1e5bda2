import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatCount, formatMebibytes, formatNumber } from '../../config/format-count.ts'
import { maxLoadLength, maxPerPage } from '../../config/limits.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { chooseType, typeBySuffix } from '../../http/negotiation/negotiate.ts'
import { toPath } from '../../http/request/target.ts'
import { toCsvLine } from '../../http/response/csv.ts'
import {
  toJsonArray,
  toJsonLines,
  toLines,
  sendTagged,
  toTaggedText,
  sendChunks,
  toContentType,
} from '../../http/response/send.ts'
import { isClosed } from '../../http/response/observe-response.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { badParameter, toHref, withParameterErrors } from '../../lists/parameters.ts'
import type { ListPart } from '../../lists/part.ts'
import {
  toPosition,
  type Document,
  type RecordQuery,
  type Slice,
  type StoredRecord,
} from '../../stores/records/records.ts'
import { sortTypes, type FindFixed, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { toLower } from '../field-values.ts'
import { findNeeded } from '../learned-fields.ts'
import { recordToCsv, recordToLine, toRepresentation } from '../record/representations.ts'
import { takePageFlash } from '../../site/flash.ts'
import { loadEmbedded, parseEmbeds, withoutEmbeds } from '../relations/embed.ts'
import { renderRemoved } from '../relations/plan-removal.ts'
import type { ListView } from './list-controls.ts'
import { findReader, type ListReader } from './kept-list.ts'
import { positionToCursor } from './list-cursor.ts'
import { fromForm } from './list-menus.ts'
import { listPage } from './list-page.ts'
import { acceptQuery, findListParameters } from './list-parameters.ts'
import { parseListQuery } from './list-query.ts'

type ListType = (typeof typeBySuffix)[keyof typeof typeBySuffix]

const listTypes = Object.values(typeBySuffix)

export function list(base: ResourceContext, findFixed?: FindFixed): Handler {
  const { config } = base
  const types = sortTypes(base.resource, listTypes)
  return async (request, reply) => {
    const type = chooseType(request, reply, types)
    reply.headers({ 'cache-control': 'private, no-cache', 'accept-query': acceptQuery })
    const { singular, title } = base.resource
    const toCount = (count: number) => formatCount(count, singular, toLower(title))
    const flash = takePageFlash(request, reply, { type, toCount })
    const fixed = await findFixed?.(request)
    const context = await findNeeded(base, request, type)
    const given = {
      path: toPath(request.url),
      parameters: findListParameters(base.resource, request),
    }
    const asked = type === 'text/html' ? fromForm(context.resource, given) : undefined
    if (asked !== undefined) return reply.redirect(asked, 303)
    const parsed = parseRequest(context, request, fixed)
    // RFC 10008 §2: a GET of Location has the same result.
    if (request.method === 'QUERY' && 2 * parsed.longestUrl <= config.maxUrlBytes)
      reply.header('location', parsed.toUrl())
    const { chunks, isPart } = await renderList(context, parsed, { type, flash, reply })
    if (!isPart) return sendChunks(reply, type, chunks)
    let text = ''
    for await (const chunk of chunks) {
      text += chunk
      if (text.length > maxLoadLength) throw pageTooLarge()
    }
    // A page with a message is not to be revalidated.
    if (flash !== undefined) return reply.type(toContentType(type)).send(text)
    return sendTagged(request, reply, toTaggedText(type, text))
  }
}

interface ListOutput extends Pick<ListView, 'flash'> {
  type: ListType
  reply: FastifyReply
}

/** A whole list can have any length. */
async function renderList(
  context: ResourceContext,
  parsed: ParsedRequest,
  { type, flash, reply }: ListOutput,
) {
  const { resource, config, relations } = context
  const { query, embeds, url, hasUrl } = parsed
  const found = { ...query.records, isCancelled: () => isClosed(reply.raw) }
  const rights = { isReadOnly: config.readOnly, removed: renderRemoved(context, 'them') }
  const view = { type, query, flash, place: reply, relations, ...rights, ...(hasUrl && { url }) }
  const isJson = type === 'application/json' || type === 'application/x-ndjson'
  const part = query.part ?? (embeds && isJson ? { offset: 0, limit: maxPerPage } : undefined)
  const reader = await findReader(context, query.records)
  if (part === undefined)
    return {
      chunks: render(resource, { ...view, links: [], pages: reader.pages(found) }),
      isPart: false,
    }
  const range = { reader, found, part }
  const { records, isLast, total, links, headers } = await readPart(context, parsed, range)
  reply.headers(headers)
  if (query.part === undefined && !isLast) throw tooManyToEmbed(total)
  const toEmbedded = embeds && isJson ? await loadEmbedded(records, embeds) : undefined
  return {
    chunks: render(resource, { ...view, pages: [records], links, total, toEmbedded }),
    isPart: true,
  }
}

async function readPart(
  { resource, config }: ResourceContext,
  { hasUrl, longestUrl, toUrl }: ParsedRequest,
  { reader, found, part }: { reader: ListReader; found: RecordQuery; part: ListPart },
) {
  const total = await reader.count(found)
  // One record more, to know whether another page follows.
  const rows = await readRows(reader, found, { ...part, limit: part.limit + 1 })
  const records = rows.slice(0, part.limit)
  const isLast = rows.length === records.length
  const last = isLast ? undefined : records.at(-1)
  const cursor = last && positionToCursor(resource, found, toPosition(found, last))
  // Clients read at most 16 KiB of headers, and there are four links.
  const maxLength = config.maxUrlBytes - 3 * longestUrl
  const toNext = (page: number) =>
    [toUrl(page, cursor), toUrl(page)].find((href) => href.length <= maxLength) ?? toUrl(page)
  const page = hasUrl ? part.page : undefined
  const links = page ? toPageLinks({ ...page, total }, toUrl, last && toNext) : []
  const link = longestUrl <= maxLength ? toLinkField(links) : ''
  const headers = { 'x-total-count': String(total), ...(link && { link }) }
  return { records, isLast, total, links, headers }
}

const firstRows = 51

/** After the first rows, reads as many as fit into the limit if they are as long: not much more is in memory. */
async function readRows(reader: ListReader, found: RecordQuery, { limit, ...start }: Slice) {
  const rows: StoredRecord[] = []
  let length = 0
  for (let step = firstRows; ; step = Math.floor(rows.length * (maxLoadLength / length - 1))) {
    const last = rows.at(-1)
    const from = last ? { offset: 0, after: toPosition(found, last) } : start
    const wanted = Math.min(Math.max(step, 1), limit - rows.length)
    const some = await reader.list(found, { ...from, limit: wanted })
    rows.push(...some)
    if (some.length < wanted || rows.length === limit) return rows
    length += some.reduce((sum, { document }) => sum + JSON.stringify(document).length, 0)
    if (length > maxLoadLength) throw pageTooLarge()
  }
}

function pageTooLarge() {
  const size = formatMebibytes(maxLoadLength)
  return badRequest(`The records are larger than ${size}. Request a shorter page, with per_page.`)
}

function tooManyToEmbed(total: number) {
  const limit = `at most ${formatNumber(maxPerPage)} of the ${formatNumber(total)} records`
  return badRequest(`Records are embedded in ${limit} at once. Request a page, with per_page.`)
}

type ParsedRequest = ReturnType<typeof parseRequest>

function parseRequest(
  context: ResourceContext,
  request: FastifyRequest,
  fixed: Awaited<ReturnType<FindFixed>> = {},
) {
  const { resource, config } = context
  const parse = () => {
    const given = findListParameters(resource, request)
    const embeds = parseEmbeds(context, given)
    const all = new Map(withoutEmbeds(resource, given))
    for (const [name, value] of Object.entries(fixed)) {
      if (all.has(name)) throw badParameter(name, 'is in the path')
      all.set(name, [String(value)])
    }
    const query = parseListQuery(resource, all)
    const pageName = given.has('_page') ? '_page' : 'page'
    const path = toPath(request.url)
    const toUrl = (page?: number, after?: string) => {
      const changes = page === undefined ? {} : { [pageName]: String(page), after }
      return toHref({ path, parameters: given }, changes)
    }
    const ownPath = Object.keys(fixed).length > 0 ? resource.path : path
    const url = { path: ownPath, parameters: query.parameters }
    const { length: longestUrl } = toUrl(Number.MAX_SAFE_INTEGER)
    // A QUERY can be longer than a URL may be.
    return { query, embeds, url, hasUrl: longestUrl <= config.maxUrlBytes, longestUrl, toUrl }
  }
  const back = [resource.path, `Show all ${toLower(resource.title)}`] as const
  return withParameterErrors(request, parse, back)
}

interface RenderedList extends Omit<ListView, 'toParentName'> {
  type: ListType
  toEmbedded?: ((record: StoredRecord) => Document) | undefined
}

function render(resource: Resource, list: RenderedList): AsyncGenerator<string> {
  const { type, pages, query, toEmbedded } = list
  const fields = query.fields ?? resource.visible.map(({ name }) => name)
  const toOwn = (record: StoredRecord) => toRepresentation(resource, record, query.fields)
  const toShown = toEmbedded
    ? (record: StoredRecord) => ({ ...toOwn(record), ...toEmbedded(record) })
    : toOwn
  switch (type) {
    case 'application/json':
      return toJsonArray(pages, toShown)
    case 'application/x-ndjson':
      return toJsonLines(pages, toShown)
    case 'text/csv':
      return toLines(pages, (record) => recordToCsv(toShown(record), fields), toCsvLine(fields))
    case 'text/plain':
      return toLines(pages, (record) => recordToLine(resource, record))
    case 'text/html':
      return listPage(resource, list)
  }
}
