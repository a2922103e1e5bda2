import { isForm } from '../http/body/body-reader.ts'
import { jsonContent } from '../http/openapi/content.ts'
import type { Content } from '../http/openapi/operation.ts'
import type { ResourceContext, ResourceRoute } from './context.ts'
import type { ResourceSchemas } from './openapi/schemas.ts'
import { toReadRoutes } from './read-routes.ts'
import { sendFormAfterError } from './write/forms.ts'
import { replace, update } from './write/write.ts'
import { putRecord } from './write-routes.ts'

/** A value is a member of a data file that is neither an object nor a list of objects: `"nextId": 3`. */
export function toValueRoutes(
  context: ResourceContext,
  schemas: ResourceSchemas,
): readonly ResourceRoute[] {
  const { value: schema = {} } = context.resource.schema.properties
  const json = jsonContent(schema, schemas.recordExample.value)
  const [save, put] = [update(context), replace(context)]
  const putValue: ResourceRoute = {
    ...putRecord(context, schemas),
    // A form has the text of the value, which can be unchanged.
    handler(request, reply) {
      return (isForm(request) ? save : put).call(this, request, reply)
    },
    errorHandler: sendFormAfterError(context),
  }
  return [...toReadRoutes(context, schemas), putValue].map((route) => withJson(route, json))
}

/** In JSON it is the value itself; a form and a text name it. */
function withJson(route: ResourceRoute, json: Content): ResourceRoute {
  const toContent = (content: Content) =>
    'application/json' in content ? { ...content, ...json } : content
  const toResponse = (response: NonNullable<ResourceRoute['responses']>[string]) =>
    'content' in response ? { ...response, content: toContent(response.content) } : response
  const { responses = {}, requestBody } = route
  const documented = Object.entries(responses).map(
    ([status, each]) => [status, toResponse(each)] as const,
  )
  return {
    ...route,
    responses: Object.fromEntries(documented),
    ...(requestBody && {
      requestBody: { ...requestBody, content: toContent(requestBody.content) },
    }),
  }
}
