import type { FastifyRequest } from 'fastify'
import { html } from '../http/html.ts'
import { toJsonArray } from '../http/json-array.ts'
import { chooseType } from '../http/negotiate.ts'
import { badRequest } from '../http/refusal.ts'
import { sendPieces } from '../http/send.ts'
import { eachPage, type Pages, type StoredRecord } from '../storage/records/records.ts'
import type { Handler, ResourceContext } from './context.ts'
import { toRepresentation, toTextPieces } from './representations.ts'
import { listPage, pagingLinks } from './views.ts'

const readable = ['text/html', 'application/json', 'text/plain'] as const

/** All records, oldest first, streamed; or one page of them when `page` or `per_page` asks. */
export function list(context: ResourceContext): Handler {
  const { resource } = context
  return async (request, reply) => {
    const type = chooseType(request, reply, readable)
    const slice = parseSlice(request)
    const part = slice && (await listSlice(context, slice))
    const pages = part ? toPages(part.records) : eachPage(context.records, resource.name)
    switch (type) {
      case 'application/json':
        return sendPieces(
          reply,
          type,
          toJsonArray(pages, (record) => toRepresentation(resource, record)),
        )
      case 'text/plain':
        return sendPieces(reply, type, toTextPieces(resource, pages))
      case 'text/html': {
        const paging = part ? pagingLinks(resource, part) : html``
        return sendPieces(reply, type, listPage(resource, pages, paging))
      }
    }
  }
}

async function* toPages(records: readonly StoredRecord[]): Pages {
  yield records
}

interface Slice {
  page: number
  perPage: number
}

/** One record more is asked for than shown, to know whether there is a page after this one. */
async function listSlice({ resource, records }: ResourceContext, { page, perPage }: Slice) {
  const found = await records.listPage(resource.name, (page - 1) * perPage, perPage + 1)
  return { page, perPage, records: found.slice(0, perPage), isLast: found.length <= perPage }
}

const defaultPerPage = 20
const maxPerPage = 1000

function parseSlice({ query }: FastifyRequest): Slice | undefined {
  const { page, per_page: perPage } = query as Record<string, unknown>
  if (page === undefined && perPage === undefined) return undefined
  return {
    page: page === undefined ? 1 : parseCount('page', page, Number.MAX_SAFE_INTEGER / maxPerPage),
    perPage: perPage === undefined ? defaultPerPage : parseCount('per_page', perPage, maxPerPage),
  }
}

function parseCount(name: string, text: unknown, maximum: number): number {
  const count = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= maximum) return count
  throw badRequest(`${name} must be a whole number from 1 to ${String(Math.floor(maximum))}.`)
}
