import type { FastifyReply, FastifyRequest } from 'fastify'
import { toJsonArray } from '../../http/response/json-array.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { unknownParameter, unprocessable } from '../../http/errors/http-error.ts'
import { sendChunks, toContentType } from '../../http/response/send.ts'
import { sendTagged, tag } from '../../http/response/send-tagged.ts'
import { toPath } from '../../http/request/target.ts'
import type { RecordQuery, StoredRecord } from '../../stores/records/records.ts'
import type { Html } from '../../site/html.ts'
import { takePageFlash, type Handler, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { toCsvChunks, toJsonLines, toProjection, toTextChunks } from '../record/representations.ts'
import { resolveAliases } from './list-aliases.ts'
import { createListCache, type ListResponse } from './list-cache.ts'
import { toVisibleFields } from './list-fields.ts'
import { listPage, type ListView } from './list-page.ts'
import { acceptQuery, BadParameter, findParameters } from './list-parameters.ts'
import { parseListQuery, type ListQuery } from './list-query.ts'
import { toHref, type ListUrl } from './list-url.ts'

const listTypes = [
  'text/html',
  'application/json',
  'text/plain',
  'text/csv',
  'application/x-ndjson',
] as const
type ListType = (typeof listTypes)[number]

/**
 * The records that GET or QUERY (RFC 10008) asks for: all of them, streamed, or a part with a tag,
 * `X-Total-Count` and links to the other pages.
 */
export function list(context: ResourceContext): Handler {
  const cache = createListCache(context.records)
  return (request, reply) => {
    const type = chooseType(request, reply, listTypes)
    reply.headers({ 'cache-control': 'private, no-cache', 'accept-query': acceptQuery })
    const flash = takePageFlash(request, reply, type)
    if (request.method === 'QUERY' || flash !== undefined) {
      return sendList(context, { request, reply, type, flash })
    }
    const key = `${type} ${request.url}`
    const { cached, state } = cache.find(key)
    if (cached) return sendTagged(request, reply.headers(cached.headers), cached.content)
    const remember = (response: ListResponse) => {
      cache.add(key, response, state)
    }
    return sendList(context, { request, reply, type, flash, remember })
  }
}

interface ListRequest {
  request: FastifyRequest
  reply: FastifyReply
  type: ListType
  flash: Html | undefined
  remember?: (response: ListResponse) => void
}

async function sendList(context: ResourceContext, list: ListRequest): Promise<FastifyReply> {
  const { resource, records, config } = context
  const { request, reply, type, flash } = list
  const { query, url, toUrl } = parseRequest(resource, request)
  // A QUERY has no limit, a URL has; with the longest number of a page.
  const { length } = toUrl(Number.MAX_SAFE_INTEGER)
  const hasUrl = length <= config.maxUrlBytes
  // RFC 10008 §2: a GET of Location has the same result.
  if (request.method === 'QUERY' && 2 * length <= config.maxUrlBytes) {
    reply.header('location', toUrl())
  }
  const view = { query, links: [], flash, ...(hasUrl && { url }) }
  const found = { ...query.records, signal: createCloseSignal(reply) }
  if (query.part !== undefined) {
    return sendPart(context, list, { view, found, part: query.part, length, toUrl })
  }
  const pages = records.pages(found)
  return sendChunks(reply, type, renderChunks(resource, type, { ...view, pages }))
}

interface ListPart {
  view: Omit<ListView, 'pages'>
  found: RecordQuery
  part: NonNullable<ListQuery['part']>
  /** Of the URL. */
  length: number
  toUrl: (page?: number) => string
}

async function sendPart(
  { resource, records, config }: ResourceContext,
  { request, reply, type, flash, remember }: ListRequest,
  { view, found, part, length, toUrl }: ListPart,
): Promise<FastifyReply> {
  const total = await records.count(found)
  const links = part.page && view.url ? toPageLinks({ ...part.page, total }, toUrl) : []
  const headers = {
    'x-total-count': String(total),
    // Clients read at most 16 KiB of headers, and there are four links.
    ...(links.length > 0 && 4 * length <= config.maxUrlBytes && { link: toLinkField(links) }),
  }
  reply.headers(headers)
  const pages = onePage(await records.list(found, part))
  let text = ''
  for await (const chunk of renderChunks(resource, type, { ...view, pages, links, total })) {
    text += chunk
  }
  // A page with a message is not to be revalidated.
  if (flash !== undefined) return reply.type(toContentType(type)).send(text)
  const content = tag(type, text)
  remember?.({ headers, content })
  return sendTagged(request, reply, content)
}

/** Aborted when the response is sent, or the client has gone. */
function createCloseSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    // Without a reason an error is made, which costs 5 % of a page.
    controller.abort('closed')
  })
  return controller.signal
}

interface ParsedRequest {
  query: ListQuery
  url: ListUrl
  /** The URL of the list, or of another page of it. */
  toUrl: (page?: number) => string
}

/** Throws 400 for a bad parameter, 422 with QUERY, whose body may have it. */
function parseRequest(resource: Resource, request: FastifyRequest): ParsedRequest {
  try {
    const given = { path: toPath(request.url), parameters: findParameters(resource, request) }
    const query = parseListQuery(resource, given.parameters)
    const parameters = resolveAliases(given.parameters, resource)
    const pageName = given.parameters.has('_page') ? '_page' : 'page'
    const toUrl = (page?: number) =>
      toHref(given, page === undefined ? {} : { [pageName]: String(page) })
    return { query, url: { path: given.path, parameters }, toUrl }
  } catch (error) {
    if (!(error instanceof BadParameter)) throw error
    const { parameter: field, problem: message } = error
    throw request.method === 'QUERY'
      ? unprocessable([{ field, message }])
      : unknownParameter(`${error.message}.`)
  }
}

/** `fields` applies to the media types for programs only. */
function renderChunks(resource: Resource, type: ListType, view: ListView): AsyncGenerator<string> {
  const { pages, query } = view
  const { fields } = query
  switch (type) {
    case 'application/json':
      return toJsonArray(pages, (record) => toProjection(resource, record, fields))
    case 'application/x-ndjson':
      return toJsonLines(resource, pages, fields)
    case 'text/csv':
      return toCsvChunks(resource, pages, fields ?? toVisibleFields(resource))
    case 'text/plain':
      return toTextChunks(resource, pages)
    case 'text/html':
      return listPage(resource, view)
  }
}

async function* onePage(records: readonly StoredRecord[]) {
  yield records
}
