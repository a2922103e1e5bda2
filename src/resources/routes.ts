import { typeBySuffix } from '../http/negotiation/negotiate.ts'
import { pageContent } from '../http/openapi/content.ts'
import type { Route } from '../http/openapi/route.ts'
import type { Demo } from '../site/demo.ts'
import { idParameter, type ResourceContext } from './context.ts'
import type { Resource } from './definition.ts'
import { queryTypes } from './list/list-parameters.ts'
import { list } from './list/list.ts'
import { toList, toOneType, toShow } from './openapi/read-operations.ts'
import { id, toSchemas, type ResourceDocs } from './openapi/schemas.ts'
import { toCreate, toDestroy, toReplace, toUpdate } from './openapi/write-operations.ts'
import { edit, newForm, show } from './record/show.ts'
import { newFormAfterReusedKey } from './write/form-errors.ts'
import { acceptedPatchTypes, acceptedTypes } from './write/input.ts'
import { create, destroy, replace, update } from './write/write.ts'

/** The demo of a resource: the seven routes of the seed, and PUT. */
export function resourceDemo(resource: Resource): Demo {
  const { name, title, summary, path } = resource
  return {
    name,
    title,
    summary,
    links: [
      { href: path, label: `All ${title.toLowerCase()}` },
      { href: `${path}/new`, label: `New ${resource.singular}` },
    ],
    tryOut: { method: 'GET', path: `${path}.json`, fields: { q: '', per_page: '3' } },
    routes: async (services) => {
      const records = services.records.collection(name)
      await records.index(resource.indexed ?? [])
      const context = { resource, config: services.config, records }
      const docs = { resource, schemas: toSchemas(resource) }
      return [...readRoutes(context, docs), ...formRoutes(context), ...writeRoutes(context, docs)]
    },
  }
}

function readRoutes(context: ResourceContext, docs: ResourceDocs): readonly Route[] {
  const { resource } = context
  const config = { accepts: queryTypes }
  const lists = { method: ['GET', 'QUERY'], handler: list(context) }
  const shows = { method: 'GET' as const, handler: show(context) }
  const one = `${resource.path}/${idParameter}`
  const [listDocs, showDocs] = [toList(docs), toShow(docs)]
  const suffixed = Object.entries(typeBySuffix).flatMap(([suffix, mediaType]): Route[] => [
    {
      ...lists,
      ...toOneType(listDocs, mediaType),
      url: `${resource.path}.${suffix}`,
      config: { ...config, mediaType },
    },
    ...(suffix === 'csv' || suffix === 'ndjson'
      ? []
      : [
          {
            ...shows,
            ...toOneType(showDocs, mediaType),
            url: `${one}.${suffix}`,
            config: { mediaType },
          },
        ]),
  ])
  return [
    { ...lists, ...listDocs, url: resource.path, config },
    { ...shows, ...showDocs, url: one },
    ...suffixed,
  ]
}

function formRoutes(context: ResourceContext): readonly Route[] {
  const { path, singular } = context.resource
  return [
    {
      method: 'GET',
      url: `${path}/new`,
      summary: `Get the form for a new ${singular}`,
      content: pageContent,
      errors: [406],
      handler: newForm(context),
    },
    {
      method: 'GET',
      url: `${path}/${idParameter}/edit`,
      summary: `Get the form to edit a ${singular}`,
      parameters: [id],
      content: pageContent,
      errors: [404, 406],
      store: 'reads',
      handler: edit(context),
    },
  ]
}

function writeRoutes(context: ResourceContext, docs: ResourceDocs): readonly Route[] {
  const { resource } = context
  const one = `${resource.path}/${idParameter}`
  const json = { defaultType: 'json', accepts: acceptedTypes } as const
  return [
    {
      method: 'POST',
      url: resource.path,
      ...toCreate(docs),
      config: { accepts: acceptedTypes, acceptsIdempotencyKey: true },
      errorHandler: newFormAfterReusedKey(context),
      handler: create(context),
    },
    {
      method: 'PATCH',
      url: one,
      ...toUpdate(docs),
      config: { ...json, accepts: acceptedPatchTypes },
      handler: update(context),
    },
    { method: 'DELETE', url: one, ...toDestroy(docs), config: json, handler: destroy(context) },
    { method: 'PUT', url: one, ...toReplace(docs), config: json, handler: replace(context) },
  ]
}
