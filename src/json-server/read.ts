import type { FastifyRequest } from 'fastify'
import { isClosed } from '../http/response/finish-responses.ts'
import { sendChunks, sendTagged, toJsonArray, toTaggedText } from '../http/response/send.ts'
import { singularId, toRecordId, type Handler, type ResourceContext } from '../resources/context.ts'
import { toTag } from '../resources/record/representations.ts'
import { assertFound } from '../resources/record/show.ts'
import type { Document, StoredRecord } from '../stores/records/records.ts'
import { parseList0, parseList1, toNames } from './list-request.ts'
import { addRelated, findEmpty } from './relations.ts'
import { selectRecords } from './selection.ts'
import { toShown, type JsonServer } from './server.ts'

/** `toFilter` is the filter of a nested route. */
export function list(
  server: JsonServer,
  context: ResourceContext,
  toFilter: (request: FastifyRequest) => Document = () => ({}),
): Handler {
  return async (request, reply) => {
    const { conditions, sort, toRange, toHeaders, toEnvelope, ...related } =
      server.version === '1'
        ? parseList1(request)
        : await parseList0(context, request, { ...findParameters(request), ...toFilter(request) })
    const empty = await findEmpty(server, context, related)
    const toDocuments = (records: readonly StoredRecord[]) =>
      records.map((record) => toShown(server, context, record))
    const toRelated = (records: readonly StoredRecord[]) =>
      addRelated(server, context, { documents: toDocuments(records), ...related, empty })
    const { total = 0, pages } = await selectRecords(context, {
      ...conditions,
      sort,
      toRange,
      toDocuments: server.version === '1' ? toRelated : toDocuments,
      isCancelled: () => isClosed(reply.raw),
    })
    reply.header('cache-control', 'private, no-cache').headers(toHeaders?.(total) ?? {})
    const array = toJsonArray(mapPages(pages, toRelated), (document) => document)
    const chunks = toEnvelope ? around(toEnvelope(total), array) : array
    return sendChunks(reply, 'application/json', chunks)
  }
}

export function findParameters({ raw }: FastifyRequest): Document {
  return raw.target?.getQuery().parameters ?? {}
}

async function* mapPages<Page, Result>(
  pages: AsyncIterable<Page>,
  map: (page: Page) => Promise<Result>,
) {
  for await (const page of pages) yield await map(page)
}

async function* around(envelope: object, array: AsyncIterable<string>) {
  yield `${JSON.stringify(envelope).slice(0, -1)},"data":`
  yield* array
  yield '}'
}

export function show(server: JsonServer, context: ResourceContext): Handler {
  const { resource, collection } = context
  return async (request, reply) => {
    const id = toRecordId(resource, request)
    const record = assertFound(resource, id, await collection.find(id))
    const { _embed, _expand } = findParameters(request)
    const related = {
      embed: toNames(_embed),
      expand: server.version === '1' ? [] : toNames(_expand),
    }
    const documents = [toShown(server, context, record)]
    const [shown] = resource.isSingular
      ? documents
      : await addRelated(server, context, { documents, ...related })
    const text = JSON.stringify(shown)
    reply.header('cache-control', 'private, no-cache')
    const tagged = toTaggedText('application/json', text)
    // Of the record alone, the tag is that which a write compares with If-Match.
    const etag = shown === documents[0] ? toTag(record) : tagged.etag
    return sendTagged(request, reply, { ...tagged, etag })
  }
}

/** `GET /db`: everything. */
export function showAll(server: JsonServer): Handler {
  return async (_request, reply) => {
    reply.header('cache-control', 'private, no-cache')
    return sendChunks(reply, 'application/json', writeAll(server))
  }
}

async function* writeAll(server: JsonServer) {
  let separator = '{'
  for (const context of server.contexts) {
    const { collection, resource } = context
    yield `${separator}${JSON.stringify(resource.name)}:`
    separator = ',\n'
    if (resource.isSingular) {
      const record = await collection.find(singularId)
      yield JSON.stringify(record?.document ?? {})
    } else yield* toJsonArray(collection.pages(), (record) => toShown(server, context, record))
  }
  yield separator === '{' ? '{}' : '}'
}
