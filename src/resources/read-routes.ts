import { typeBySuffix } from '../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, textContent } from '../http/openapi/content.ts'
import { requestHeaders, responseHeaders } from '../http/openapi/fields.ts'
import type { Route } from '../http/openapi/route.ts'
import { idParameter, type ResourceContext } from './context.ts'
import { acceptedTypes } from './definition.ts'
import { list } from './list/list.ts'
import { listDescription, listParameters } from './openapi/list-parameters.ts'
import { recordIdParameter, recordContent, type ResourceSchemas } from './openapi/schemas.ts'
import { recordTypes } from './record/representations.ts'
import { show } from './record/show.ts'
import { edit, newForm } from './write/forms.ts'

const formsFile = 'src/resources/write/forms.ts'

export function readRoutes(context: ResourceContext, schemas: ResourceSchemas): readonly Route[] {
  const lists = listRoute(context, schemas)
  const shows = showRoute(context, schemas)
  const suffixed = Object.entries(typeBySuffix).flatMap(([suffix, type]) => {
    const isOfRecord = recordTypes.some((known) => known === type)
    const routes = isOfRecord ? [lists, shows] : [lists]
    return routes.map((route) => withSuffix(route, suffix, type))
  })
  const { path, singular } = context.resource
  return [
    lists,
    shows,
    ...suffixed,
    {
      method: 'GET',
      url: `${path}/new`,
      summary: `Get the form for a new ${singular}`,
      file: formsFile,
      content: pageContent,
      errors: [406],
      handler: newForm(context),
    },
    {
      method: 'GET',
      url: `${path}/${idParameter}/edit`,
      summary: `Get the form to edit a ${singular}`,
      file: formsFile,
      parameters: [recordIdParameter],
      content: pageContent,
      errors: [404, 406],
      store: 'reads',
      handler: edit(context),
    },
  ]
}

function withSuffix(route: Route, suffix: string, mediaType: string): Route {
  const { 200: whole, ...others } = route.responses ?? {}
  const content = whole && 'content' in whole ? whole.content[mediaType] : undefined
  const only = { description: '', ...whole, content: { [mediaType]: content ?? {} } }
  return {
    ...route,
    url: `${route.url}.${suffix}`,
    summary: `${route.summary}, as ${mediaType}`,
    responses: { 200: only, ...others },
    errors: route.errors?.filter((status) => status !== 406) ?? [],
    config: { ...route.config, mediaType },
  }
}

function listRoute(context: ResourceContext, { part, recordExample }: ResourceSchemas): Route {
  const { resource } = context
  const { _id, ...fields } = recordExample
  const [naming] = Object.values(fields)
  return {
    method: ['GET', 'QUERY'],
    url: resource.path,
    summary: `List ${resource.name}, oldest first, optionally filtered`,
    file: 'src/resources/list/list.ts',
    description: listDescription,
    parameters: listParameters(resource),
    responses: {
      200: {
        description: 'The list, or one page of it.',
        headers: responseHeaders('Accept-Query', 'Link', 'X-Total-Count', 'ETag', 'Set-Cookie'),
        content: {
          ...pageContent,
          ...jsonContent({ type: 'array', items: part }, [recordExample]),
          ...textContent(`${_id} ${naming ?? ''}\n`),
          [typeBySuffix.csv]: { schema: { type: 'string' } },
          [typeBySuffix.ndjson]: {
            schema: { type: 'string' },
            example: `${JSON.stringify(recordExample)}\n`,
          },
        },
      },
      304: { description: 'Not changed.', headers: responseHeaders('ETag') },
    },
    errors: [406, 412],
    store: 'reads',
    config: { accepts: acceptedTypes },
    handler: list(context),
  }
}

const shown = responseHeaders('ETag', 'Last-Modified', 'Accept-Patch', 'Repr-Digest', 'Set-Cookie')

function showRoute(context: ResourceContext, schemas: ResourceSchemas): Route {
  const { path, singular } = context.resource
  const lines = Object.entries(schemas.recordExample).map(([name, value]) => `${name}: ${value}\n`)
  return {
    method: 'GET',
    url: `${path}/${idParameter}`,
    summary: `Get a ${singular}`,
    file: 'src/resources/record/show.ts',
    parameters: [
      recordIdParameter,
      ...requestHeaders('If-None-Match', 'If-Modified-Since', 'Want-Repr-Digest'),
    ],
    responses: {
      200: {
        description: 'The record.',
        headers: shown,
        content: { ...recordContent(schemas), ...textContent(lines.join('')) },
      },
      304: { description: 'Not changed.', headers: responseHeaders('ETag') },
    },
    errors: [404, 405, 406, 412],
    store: 'reads',
    handler: show(context),
  }
}
