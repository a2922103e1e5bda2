import type { Config } from '../../config/config.ts'
import type { Records } from '../../stores/records/records.ts'
import type { Relation, ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { collectionNames } from '../../stores/collection-names.ts'
import { learnFields } from '../learned-fields.ts'
import { checkWrites } from './check-writes.ts'

interface ContextServices {
  config: Config
  records: Records
  resources: readonly Resource[]
}

export function createContext(
  resource: Resource,
  services: ContextServices,
  known = new Map<Resource, ResourceContext>(),
): ResourceContext {
  const found = known.get(resource)
  if (found) return found
  const relations: Relation[] = []
  const { config, records } = services
  const collection = records.collection(resource.name)
  const learned = records.collection(collectionNames.learnedFields)
  const context = { resource, config, collection, records, relations, learned }
  known.set(resource, context)
  for (const { other, ...relation } of toRelations(resource, services.resources))
    relations.push({ ...relation, other: createContext(other, services, known) })
  const checked = { ...context, collection: checkWrites(context) }
  return Object.assign(context, { collection: learnFields(checked) })
}

function toRelations(resource: Resource, resources: readonly Resource[]) {
  const parents = resource.references.flatMap(({ resource: name, ...reference }) => {
    const other = resources.find((known) => known.name === name && !known.isSingular)
    const [, prefix = other?.key ?? ''] = /^(.+?)(?:Id|_id)$/.exec(reference.field) ?? []
    return other ? [{ ...reference, name: prefix, isToParent: true, other }] : []
  })
  const children = resources.flatMap((other) => {
    const references = other.references.filter((known) => known.resource === resource.name)
    return references.map(({ field, onDelete }, index) => {
      const name = index === 0 ? other.name : `${other.name}:${field}`
      return { name, field, onDelete, isToParent: false, other }
    })
  })
  return [...parents, ...children]
}
