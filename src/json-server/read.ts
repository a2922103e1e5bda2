import type { FastifyRequest } from 'fastify'
import { isClosed } from '../http/response/observe-response.ts'
import { sendChunks, sendTagged, toJsonArray, toTaggedText } from '../http/response/send.ts'
import { assertFound, toRecordId, type Handler } from '../resources/context.ts'
import { toTag } from '../resources/record/representations.ts'
import type { Document } from '../stores/records/records.ts'
import { parseList0, toNames } from './parse-list0.ts'
import { parseList1 } from './parse-list1.ts'
import { createToDocuments } from './relations.ts'
import { selectRecords } from './selection.ts'
import { findRecord, isVersion1, type Context } from './context.ts'

export function list(context: Context, fixed: Document = {}): Handler {
  return async (request, reply) => {
    const { embed, expand, ...selection } = isVersion1(context)
      ? parseList1(context, request)
      : await parseList0(context, request, { ...findQuery(request), ...fixed })
    const toRelated = createToDocuments(context, { embed, expand })
    const toOwn = createToDocuments(context, { embed: [], expand: [] })
    const { total, pages } = await selectRecords(context, {
      ...selection,
      // In 1, filters and _sort can name what is embedded.
      toDocuments: isVersion1(context) ? toRelated : toOwn,
      isCancelled: () => isClosed(reply.raw),
    })
    const { headers = {}, envelope } = selection.toPart?.(total) ?? {}
    reply.header('cache-control', 'private, no-cache').headers(headers)
    const array = toJsonArray(mapPages(pages, toRelated), (document) => document)
    return sendChunks(reply, 'application/json', envelope ? around(envelope, array) : array)
  }
}

export function findQuery({ raw }: FastifyRequest): Document {
  return raw.target?.getQuery().parameters ?? {}
}

async function* mapPages<Page, Result>(
  pages: AsyncIterable<Page> | Iterable<Page>,
  map: (page: Page) => Promise<Result>,
) {
  for await (const page of pages) yield await map(page)
}

async function* around(envelope: object, array: AsyncIterable<string>) {
  yield `${JSON.stringify(envelope).slice(0, -1)},"data":`
  yield* array
  yield '}'
}

export function show(context: Context): Handler {
  const { resource } = context
  return async (request, reply) => {
    const id = toRecordId(resource, request)
    const record = assertFound(resource, id, await findRecord(context, id))
    const { _embed, _expand } = resource.isSingular ? {} : findQuery(request)
    const expand = isVersion1(context) ? [] : toNames(_expand)
    const embed = toNames(_embed)
    const [document] = await createToDocuments(context, { embed, expand })([record])
    reply.header('cache-control', 'private, no-cache')
    const tagged = toTaggedText('application/json', JSON.stringify(document))
    // The tag of the record alone is that which a write compares with If-Match.
    const isAlone = embed.length + expand.length === 0
    return sendTagged(request, reply, { ...tagged, ...(isAlone && { etag: toTag(record) }) })
  }
}
