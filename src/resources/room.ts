import { typeBySuffix } from '../http/negotiate.ts'
import type { Room } from '../room.ts'
import type { Resource } from './definition.ts'
import { acceptedTypes } from './input.ts'
import { list } from './list.ts'
import { edit, newForm, show } from './reads.ts'
import { create, destroy, replace, update } from './writes.ts'

/** The room of a resource: the seven routes of the seed, and PUT. HEAD and OPTIONS come with them. */
export function resourceRoom(resource: Resource): Room {
  const { name, title, summary, path } = resource
  return {
    name,
    title,
    summary,
    links: [
      { href: path, label: `All ${title.toLowerCase()}` },
      { href: `${path}/new`, label: `New ${resource.singular}` },
    ],
    open: (app, { records }) => {
      const context = { resource, records }
      const json = { config: { defaultAnswer: 'json', accepts: acceptedTypes } } as const
      app.get(path, list(context))
      for (const suffix of ['html', 'json', 'txt'] as const) {
        const named = { config: { mediaType: typeBySuffix[suffix] } }
        app.get(`${path}.${suffix}`, named, list(context))
        app.get(`${path}/:id.${suffix}`, named, show(context))
      }
      app.get(`${path}/new`, newForm(context))
      app.get(`${path}/:id`, show(context))
      app.get(`${path}/:id/edit`, edit(context))
      app.post(path, { config: { accepts: acceptedTypes } }, create(context))
      app.patch(`${path}/:id`, json, update(context))
      app.delete(`${path}/:id`, json, destroy(context))
      app.put(`${path}/:id`, json, replace(context))
    },
  }
}
