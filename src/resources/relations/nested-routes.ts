import type { FastifyRequest } from 'fastify'
import { resolve } from '../../http/openapi/component.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { assertFound, toRecordRoute } from '../context.ts'
import type { Relation, ResourceContext, ResourceRoute } from '../context.ts'
import { getList } from '../read-routes.ts'
import { toSchemas } from '../openapi/schemas.ts'
import { postRecord } from '../write-routes.ts'
import { parseId } from '../write/create-numbered.ts'

/** `/posts/1/comments`, for the first reference of each resource. */
export function toNestedRoutes(context: ResourceContext): readonly ResourceRoute[] {
  if (context.resource.isSingular) return []
  const nested = context.relations.filter(({ isToParent, name, other: { resource } }) => {
    return !isToParent && !resource.isSingular && name === resource.name && name !== 'edit'
  })
  return nested.flatMap((relation) => toRoutes(context, relation))
}

export function toRoutesInParents(context: ResourceContext): readonly ResourceRoute[] {
  const parents = context.relations.filter(({ isToParent }) => isToParent)
  return parents.flatMap(({ other: parent }) => {
    const lists = parent.relations.filter(
      ({ other }) => other.resource.name === context.resource.name,
    )
    const relations = lists.map((relation) => ({ ...relation, other: context }))
    return toNestedRoutes({ ...parent, relations })
  })
}

function toRoutes({ resource, collection }: ResourceContext, relation: Relation): ResourceRoute[] {
  const { field, other } = relation
  const findFixed = async (request: FastifyRequest) => {
    const id = toPathParameter(request, 'id')
    assertFound(resource, id, await collection.find(id))
    return { [field]: parseId(resource, id) }
  }
  const schemas = toSchemas(other.resource)
  const isFilterOfFixed = (name: string) => name === field || name.startsWith(`${field}:`)
  const routes = [getList(other, schemas, findFixed), postRecord(other, schemas, findFixed)]
  return routes.map((route) => ({
    ...route,
    nested: other.resource.name,
    url: toRecordRoute(resource, other.resource.path),
    summary: `${route.summary}, of ${resource.oneRecord}`,
    parameters: [
      ...toSchemas(resource).idParameters,
      ...(route.parameters ?? []).filter((each) => !isFilterOfFixed(resolve(each).name)),
    ],
    errors: [404, ...(route.errors ?? [])],
  }))
}
