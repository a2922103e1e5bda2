import { typeBySuffix } from '../http/negotiation/negotiate.ts'
import { describeRoutes } from '../http/openapi/operation.ts'
import type { Demo } from '../site/demo.ts'
import { idParameter } from './context.ts'
import type { Resource } from './definition.ts'
import { acceptedPatchTypes, acceptedTypes } from './write/input.ts'
import { queryTypes } from './list/list-parameters.ts'
import { list } from './list/list.ts'
import { toOperations } from './openapi/openapi.ts'
import { edit, newForm, show } from './record/show.ts'
import { newFormAfterReusedKey } from './write/form-errors.ts'
import { create, destroy, replace, update } from './write/write.ts'

/** The room of a resource: the seven routes of the seed, and PUT. HEAD and OPTIONS come with them. */
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
    open: async (app, services) => {
      const { config } = services
      const records = services.records.collection(name)
      await records.index(resource.indexed ?? [])
      describeRoutes(app, name, toOperations(resource))
      const context = { resource, config, records }
      const json = { config: { defaultType: 'json', accepts: acceptedTypes } } as const
      const listed = list(context)
      const one = `${path}/${idParameter}`
      app.get(path, listed)
      app.query(path, { config: { accepts: queryTypes } }, listed)
      for (const [suffix, mediaType] of Object.entries(typeBySuffix)) {
        const named = { config: { mediaType } }
        app.get(`${path}.${suffix}`, named, listed)
        app.query(`${path}.${suffix}`, { config: { mediaType, accepts: queryTypes } }, listed)
        if (suffix !== 'csv' && suffix !== 'ndjson') {
          app.get(`${one}.${suffix}`, named, show(context))
        }
      }
      app.get(`${path}/new`, newForm(context))
      app.get(one, show(context))
      app.get(`${one}/edit`, edit(context))
      const posted = { accepts: acceptedTypes, replaysAnswers: true }
      const errorHandler = newFormAfterReusedKey(context)
      app.post(path, { config: posted, errorHandler }, create(context))
      const patch = { config: { defaultType: 'json', accepts: acceptedPatchTypes } } as const
      app.patch(one, patch, update(context))
      app.delete(one, json, destroy(context))
      app.put(one, json, replace(context))
    },
  }
}
