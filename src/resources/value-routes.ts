import { isForm } from '../http/body/body-reader.ts'
import { jsonContent, pageContent, textContent } from '../http/openapi/content.ts'
import { requestHeaders, responseHeaders } from '../http/openapi/fields.ts'
import type { Content } from '../http/openapi/operation.ts'
import type { Route } from '../http/openapi/route.ts'
import type { ResourceContext } from './context.ts'
import { acceptedTypes } from './definition.ts'
import type { ResourceSchemas } from './openapi/schemas.ts'
import { getEditForm, toSuffixed } from './read-routes.ts'
import { recordTypes } from './record/representations.ts'
import { show } from './record/show.ts'
import { sendFormAfterError } from './write/forms.ts'
import { replace, update } from './write/write.ts'

/** Of a member of a data file that is neither an object nor a list of objects: `"nextId": 3`. */
export function toValueRoutes(context: ResourceContext, schemas: ResourceSchemas) {
  const { path, schema } = context.resource
  const { value } = schemas.recordExample
  const content = jsonContent(schema.properties.value ?? {}, value)
  const get = getValue(context, {
    ...pageContent,
    ...content,
    ...textContent(`value: ${JSON.stringify(value)}\n`),
  })
  const suffixed = toSuffixed(get, recordTypes, (end) => path + end)
  return [get, ...suffixed, putValue(context, content), getEditForm(context, schemas)]
}

const headers = responseHeaders('ETag')

function getValue(context: ResourceContext, content: Content): Route {
  const { path: url, title } = context.resource
  return {
    method: 'GET',
    url,
    file: 'src/resources/record/show.ts',
    summary: `Get the value of ${title}`,
    responses: { 200: { description: 'The value.', headers, content } },
    errors: [404, 406, 412],
    store: 'reads',
    config: { defaultType: 'json' },
    handler: show(context),
  }
}

function putValue(context: ResourceContext, content: Content): Route {
  const { path: url, title } = context.resource
  const [save, put] = [update(context), replace(context)]
  return {
    method: 'PUT',
    url,
    file: 'src/resources/write/write.ts',
    summary: `Replace the value of ${title}`,
    parameters: requestHeaders('If-Match', 'If-None-Match', 'If-Unmodified-Since'),
    requestBody: { required: true, content },
    responses: { 200: { description: 'Replaced.', headers, content } },
    errors: [406, 412, 422, 428],
    store: 'writes',
    config: { defaultType: 'json', accepts: acceptedTypes },
    // A form has the text of the value, which can be unchanged.
    handler(request, reply) {
      return (isForm(request) ? save : put).call(this, request, reply)
    },
    errorHandler: sendFormAfterError(context),
  }
}
