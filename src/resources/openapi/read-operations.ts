import { typeBySuffix } from '../../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, textContent } from '../../http/openapi/content.ts'
import { responseHeaders, requestHeaders } from '../../http/openapi/fields.ts'
import type { Operation } from '../../http/openapi/operation.ts'
import { listDescription, listParameters } from './list-parameters.ts'
import { id, recordContent, type ResourceDocs } from './schemas.ts'

const { etag, lastModified } = responseHeaders
const { ifNoneMatch, ifModifiedSince, wantReprDigest } = requestHeaders

/** The same operation at a URL whose suffix selects the media type. */
export function toOneType(operation: Operation, type: string): Operation {
  const { 200: whole, ...others } = operation.responses ?? {}
  const { [type]: mediaType = {} } = whole && 'content' in whole ? whole.content : {}
  return {
    ...operation,
    summary: `${operation.summary}, as ${type}`,
    responses: { 200: { description: '', ...whole, content: { [type]: mediaType } }, ...others },
    errors: operation.errors?.filter((status) => status !== 406) ?? [],
  }
}

export function toList({ resource, schemas }: ResourceDocs): Operation {
  const { _id, ...fields } = schemas.recordExample
  const [naming] = Object.values(fields)
  return {
    summary: `List ${resource.name}, oldest first, optionally filtered`,
    description: listDescription,
    parameters: [...listParameters(resource), ifNoneMatch, wantReprDigest],
    responses: {
      200: {
        description: 'The list, or one page of it.',
        headers: {
          'Accept-Query': responseHeaders.acceptQuery,
          Link: responseHeaders.link,
          'X-Total-Count': responseHeaders.totalCount,
          ETag: etag,
          'Set-Cookie': responseHeaders.flash,
        },
        content: {
          ...pageContent,
          ...jsonContent({ type: 'array', items: schemas.part }, [schemas.recordExample]),
          ...textContent(`${_id} ${String(naming)}\n`),
          [typeBySuffix.csv]: { schema: { type: 'string' } },
          [typeBySuffix.ndjson]: {
            schema: { type: 'string' },
            example: `${JSON.stringify(schemas.recordExample)}\n`,
          },
        },
      },
      304: { description: 'Not changed.', headers: { ETag: etag } },
    },
    errors: [406, 412],
    store: 'reads',
  }
}

export function toShow({ resource, schemas }: ResourceDocs): Operation {
  return {
    summary: `Get a ${resource.singular}`,
    parameters: [id, ifNoneMatch, ifModifiedSince, wantReprDigest],
    responses: {
      200: {
        description: 'The record.',
        headers: {
          ETag: etag,
          'Last-Modified': lastModified,
          'Accept-Patch': responseHeaders.acceptPatch,
          'Repr-Digest': responseHeaders.reprDigest,
          'Set-Cookie': responseHeaders.flash,
        },
        content: { ...recordContent(schemas), ...textContent(toLines(schemas.recordExample)) },
      },
      304: { description: 'Not changed.', headers: { ETag: etag } },
    },
    errors: [404, 405, 406, 412],
    store: 'reads',
  }
}

function toLines(example: Readonly<Record<string, unknown>>): string {
  return Object.entries(example)
    .map(([name, value]) => `${name}: ${String(value)}\n`)
    .join('')
}
