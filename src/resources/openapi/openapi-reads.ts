import { typeBySuffix } from '../../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, textContent } from '../../http/openapi/content.ts'
import { responseHeaders, requestHeaders } from '../../http/openapi/fields.ts'
import type { Content, Operation, Operations } from '../../http/openapi/operation.ts'
import { listDescription, listParameters } from './openapi-list.ts'
import { id, pickTypes, shownContent, type ResourceDocs } from './openapi-parts.ts'

/** The documentation of what a resource shows. */
export function toReadOperations(parts: ResourceDocs): Operations {
  const { path, singular } = parts.resource
  const list = toList(parts)
  const show = toShow(parts)
  const suffixed = Object.entries(typeBySuffix).flatMap(([suffix, type]) => [
    [`GET ${path}.${suffix}`, only(list, type)] as const,
    ...(type in toContent(show) ? [[`GET ${path}/:id.${suffix}`, only(show, type)] as const] : []),
  ])
  return {
    [`GET ${path}`]: list,
    [`GET ${path}/new`]: toForm(`The form for a new ${singular}`),
    [`GET ${path}/:id`]: show,
    [`GET ${path}/:id/edit`]: {
      ...toForm(`The form for a ${singular} that is there`),
      parameters: [id],
      errors: [404, 406],
      store: 'reads',
    },
    ...Object.fromEntries(suffixed),
  }
}

const { etag, lastModified } = responseHeaders
const { ifNoneMatch, ifModifiedSince, wantReprDigest } = requestHeaders

/** The same operation where the address names the media type. */
function only(operation: Operation, type: string): Operation {
  const { 200: whole, ...others } = operation.responses
  const content = pickTypes(toContent(operation), [type])
  return {
    ...operation,
    summary: `${operation.summary}, as ${type}`,
    responses: { 200: { description: '', ...whole, content }, ...others },
    errors: operation.errors?.filter((status) => status !== 406) ?? [],
  }
}

function toList({ resource, schemas }: ResourceDocs): Operation {
  const { _id, ...fields } = schemas.recordExample
  const [naming] = Object.values(fields)
  return {
    summary: `All ${resource.name}, oldest first, or those asked for`,
    description: listDescription,
    parameters: [...listParameters(resource), ifNoneMatch, wantReprDigest],
    responses: {
      200: {
        description: 'The list.',
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
      304: { description: 'It has not changed.', headers: { ETag: etag } },
    },
    errors: [406, 412],
    store: 'reads',
  }
}

function toContent({ responses: { 200: whole } }: Operation): Content {
  return whole && 'content' in whole ? whole.content : {}
}

function toForm(summary: string): Operation {
  return {
    summary,
    responses: { 200: { description: 'A page.', content: pageContent } },
    errors: [406],
  }
}

function toShow({ resource, schemas }: ResourceDocs): Operation {
  return {
    summary: `One ${resource.singular}`,
    parameters: [id, ifNoneMatch, ifModifiedSince, wantReprDigest],
    responses: {
      200: {
        description: 'It.',
        headers: {
          ETag: etag,
          'Last-Modified': lastModified,
          'Accept-Patch': responseHeaders.acceptPatch,
          'Repr-Digest': responseHeaders.reprDigest,
          'Set-Cookie': responseHeaders.flash,
        },
        content: { ...shownContent(schemas), ...textContent(toLines(schemas.recordExample)) },
      },
      304: { description: 'It has not changed.', headers: { ETag: etag } },
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
