import { typeBySuffix } from '../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, text, textContent } from '../http/openapi/content.ts'
import { requestHeaders, responseHeaders } from '../http/openapi/fields.ts'
import { toRecordRoute, toRouteConfig } from './context.ts'
import type { FindFixed, ResourceContext, ResourceRoute } from './context.ts'
import { acceptedTypes } from './definition.ts'
import { valueToText } from './field-values.ts'
import { list } from './list/list.ts'
import { toEmbedParameters, listDescription, listParameters } from './openapi/list-parameters.ts'
import type { ResourceSchemas } from './openapi/schemas.ts'
import { recordTypes } from './record/representations.ts'
import { show } from './record/show.ts'
import { edit, newForm } from './write/forms.ts'

export function toReadRoutes(
  context: ResourceContext,
  schemas: ResourceSchemas,
): readonly ResourceRoute[] {
  const { resource } = context
  const record = getRecord(context, schemas)
  const records = toSuffixed(record, recordTypes, (end) => toRecordRoute(resource, end))
  const editForm = getEditForm(context, schemas)
  if (resource.isSingular) return [record, ...records, editForm]
  const listRoute = getList(context, schemas)
  const lists = toSuffixed(listRoute, Object.values(typeBySuffix), (end) => resource.path + end)
  return [listRoute, record, ...lists, ...records, getNewForm(context), editForm]
}

const ofForm = {
  method: 'GET',
  file: 'src/resources/write/forms.ts',
  content: pageContent,
} as const

function getNewForm(context: ResourceContext): ResourceRoute {
  const { path, singular } = context.resource
  return {
    ...ofForm,
    url: `${path}/new`,
    summary: `Get the form for a new ${singular}`,
    errors: [406],
    handler: newForm(context),
  }
}

function getEditForm(context: ResourceContext, { idParameters }: ResourceSchemas): ResourceRoute {
  return {
    ...ofForm,
    url: toRecordRoute(context.resource, '/edit'),
    summary: `Get the form to edit ${context.resource.oneRecord}`,
    parameters: idParameters,
    errors: [404, 406],
    store: 'reads',
    handler: edit(context),
  }
}

function toSuffixed(
  route: ResourceRoute,
  types: readonly string[],
  toUrl: (end: string) => string,
): readonly ResourceRoute[] {
  return Object.entries(typeBySuffix)
    .filter(([, type]) => types.includes(type))
    .map(([suffix, type]) => ({ ...withType(route, type), url: toUrl(`.${suffix}`) }))
}

function withType(route: ResourceRoute, mediaType: string): ResourceRoute {
  const { 200: whole, ...others } = route.responses ?? {}
  const content = whole && 'content' in whole ? whole.content[mediaType] : undefined
  const only = { description: '', ...whole, content: { [mediaType]: content ?? {} } }
  return {
    ...route,
    summary: `${route.summary}, as ${mediaType}`,
    responses: { 200: only, ...others },
    errors: route.errors?.filter((status) => status !== 406) ?? [],
    config: { ...route.config, mediaType },
  }
}

export function getList(
  context: ResourceContext,
  schemas: ResourceSchemas,
  findFixed?: FindFixed,
): ResourceRoute {
  const { resource } = context
  const { part, recordExample, exampleId } = schemas
  const [, naming] = Object.values(recordExample)
  return {
    operation: 'list',
    method: ['GET', 'QUERY'],
    url: resource.path,
    summary: `List ${resource.name}, oldest first, optionally filtered`,
    file: 'src/resources/list/list.ts',
    description: listDescription,
    parameters: [...listParameters(resource), ...toEmbedParameters(context)],
    responses: {
      200: {
        description: 'The list, or one page of it.',
        headers: responseHeaders('Accept-Query', 'Link', 'X-Total-Count', 'ETag', 'Set-Cookie'),
        content: {
          ...pageContent,
          ...jsonContent({ type: 'array', items: part }, [recordExample]),
          ...textContent(`${exampleId} ${valueToText(naming)}\n`),
          [typeBySuffix.csv]: { schema: text },
          [typeBySuffix.ndjson]: { schema: text, example: `${JSON.stringify(recordExample)}\n` },
        },
      },
      304: { description: 'Not changed.', headers: responseHeaders('ETag') },
    },
    errors: [406, 412],
    store: 'reads',
    config: { ...toRouteConfig(resource), accepts: acceptedTypes },
    handler: list(context, findFixed),
  }
}

const shown = responseHeaders('ETag', 'Last-Modified', 'Repr-Digest', 'Set-Cookie')

function getRecord(context: ResourceContext, schemas: ResourceSchemas): ResourceRoute {
  const { resource } = context
  const { recordExample, idParameters, json } = schemas
  const lines = Object.entries(recordExample).map(
    ([name, value]) => `${name}: ${valueToText(value)}\n`,
  )
  return {
    operation: 'show',
    method: 'GET',
    url: toRecordRoute(resource),
    summary: `Get ${resource.oneRecord}`,
    file: 'src/resources/record/show.ts',
    parameters: [
      ...idParameters,
      ...toEmbedParameters(context),
      ...requestHeaders('If-None-Match', 'If-Modified-Since', 'Want-Repr-Digest'),
    ],
    responses: {
      200: {
        description: 'The record.',
        headers: { ...shown, ...(!resource.isValue && responseHeaders('Accept-Patch')) },
        content: { ...pageContent, ...json, ...textContent(lines.join('')) },
      },
      304: { description: 'Not changed.', headers: responseHeaders('ETag') },
    },
    errors: [404, 405, 406, 412],
    store: 'reads',
    config: toRouteConfig(resource),
    handler: show(context),
  }
}
