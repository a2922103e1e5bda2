import type { FastifyReply, FastifyRequest } from 'fastify'
import { toJsonArray } from '../../http/response/json-array.ts'
import { toLinkField, toPageLinks } from '../../http/response/links.ts'
import { chooseType } from '../../http/negotiation/negotiate.ts'
import { unknownParameter, unprocessable } from '../../http/errors/http-error.ts'
import { sendChunks, toContentType } from '../../http/response/send.ts'
import { sendTagged, tag } from '../../http/response/send-tagged.ts'
import { toPath } from '../../http/request/target.ts'
import type { Pages, StoredRecord } from '../../stores/records/records.ts'
import type { Html } from '../../site/html.ts'
import type { Handler, ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import type { ListUrl } from './list-url.ts'
import { toOwnSpelling } from './list-aliases.ts'
import { listPage, type ListView } from './list-page.ts'
import {
  acceptQuery,
  BadParameter,
  findParameters,
  type ParameterTexts,
} from './list-parameters.ts'
import { parseListQuery, toVisibleFields, type ListQuery } from './list-query.ts'
import { takePageFlash } from '../record/page-flash.ts'
import { createListCache, type ListResponse } from './list-cache.ts'
import { toCsvChunks, toJsonLines, toProjection, toTextChunks } from '../record/representations.ts'

/** The media types in which a list is shown. */
export const listTypes = [
  'text/html',
  'application/json',
  'text/plain',
  'text/csv',
  'application/x-ndjson',
] as const
type ListType = (typeof listTypes)[number]

/** As long as the number of a page can be. */
const maxNumber = Number.MAX_SAFE_INTEGER

/**
 * The records that GET or QUERY (RFC 10008) asks for: all of them, streamed, or a part, whole, with
 * a tag, `X-Total-Count` and links to the other pages.
 */
export function list(context: ResourceContext): Handler {
  const recent = createListCache(context.records)
  return (request, reply) => {
    const type = chooseType(request, reply, listTypes)
    reply.headers({ 'cache-control': 'private, no-cache', 'accept-query': acceptQuery })
    const flash = takePageFlash(request, reply, type)
    // What QUERY asks for is no address, and what is said once is said once.
    const isLasting = request.method !== 'QUERY' && flash === undefined
    const key = isLasting ? `${type} ${request.url}` : undefined
    const { answer, state } = key === undefined ? {} : recent.find(key)
    if (answer) return sendTagged(request, reply.headers(answer.headers), answer.content)
    const remember = (made: ListResponse) => {
      if (key !== undefined) recent.remember(key, made, state)
    }
    return sendList(context, { request, reply, type, flash, remember })
  }
}

interface ListRequest {
  request: FastifyRequest
  reply: FastifyReply
  type: ListType
  flash: Html | undefined
  remember: (answer: ListResponse) => void
}

async function sendList(
  { resource, records, config }: ResourceContext,
  { request, reply, type, flash, remember }: ListRequest,
): Promise<FastifyReply> {
  const { query, address, toAddress } = parseRequest(resource, request)
  // What QUERY can say at any length, an address can only up to its limit.
  const { length } = toAddress(maxNumber)
  const hasAddress = length <= config.maxUrlBytes
  // RFC 10008 §2: where a GET would find the same again.
  if (request.method === 'QUERY' && 2 * length <= config.maxUrlBytes)
    reply.header('location', toAddress())
  const shown = { query, links: [], flash, ...(hasAddress && { address }) }
  const sought = { ...query.records, signal: toAbandonment(reply) }
  if (query.part === undefined) {
    const pages = records.pages(sought)
    return sendChunks(reply, type, toPieces(resource, type, { ...shown, pages }))
  }
  const total = await records.count(sought)
  const links =
    query.part.page && hasAddress ? toPageLinks({ ...query.part.page, total }, toAddress) : []
  const headers = {
    'x-total-count': String(total),
    // Clients read no more than 16 KiB of headers, and every link says the address again.
    ...(links.length > 0 && 4 * length <= config.maxUrlBytes && { link: toLinkField(links) }),
  }
  reply.headers(headers)
  const pages = toPages(await records.list(sought, query.part))
  const text = await joinText(toPieces(resource, type, { ...shown, pages, links, total }))
  // What is said once has no tag by which it could be said again.
  if (flash !== undefined) return reply.type(toContentType(type)).send(text)
  const content = tag(type, text)
  remember({ headers, content })
  return sendTagged(request, reply, content)
}

/** Aborted when the answer is sent, or can be sent to nobody. */
function toAbandonment(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    // Without a reason it makes an error, which takes a twentieth of the time of a page.
    controller.abort('closed')
  })
  return controller.signal
}

interface ParsedRequest {
  query: ListQuery
  address: ListUrl
  /** The address of the same list, or of another page of it. */
  toAddress: (page?: number) => string
}

/** Throws 400, or 422 where the content of a QUERY may have said it. */
function parseRequest(resource: Resource, request: FastifyRequest): ParsedRequest {
  try {
    const parameters = findParameters(request)
    const path = toPath(request.url)
    return {
      query: parseListQuery(resource, parameters),
      address: { path, parameters: toOwnSpelling(parameters, toVisibleFields(resource)) },
      toAddress: createAddresses(path, parameters),
    }
  } catch (error) {
    if (!(error instanceof BadParameter)) throw error
    const { parameter: field, problem: message } = error
    throw request.method === 'QUERY'
      ? unprocessable([{ field, message }])
      : unknownParameter(`${error.message}.`)
  }
}

function createAddresses(path: string, parameters: ParameterTexts): (page?: number) => string {
  const pageName = parameters.has('_page') ? '_page' : 'page'
  const pairs = [...parameters].flatMap(([name, values]) => values.map((value) => [name, value]))
  const ofOthers = toQueryString(pairs.filter(([name]) => name !== pageName))
  return (page) => {
    if (page === undefined) return path + toQueryString(pairs)
    return `${path}${ofOthers}${ofOthers === '' ? '?' : '&'}${pageName}=${String(page)}`
  }
}

function toQueryString(pairs: string[][]): string {
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

/** `fields` says what programs get; text and pages are for people and stay as they are. */
function toPieces(resource: Resource, type: ListType, shown: ListView) {
  const { pages, query } = shown
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
      return listPage(resource, shown)
  }
}

async function* toPages(records: readonly StoredRecord[]): Pages {
  yield records
}

async function joinText(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}
