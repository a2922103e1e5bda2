import { fieldsContent, jsonContent } from '../http/openapi/content.ts'
import { requestHeaders, responseHeaders } from '../http/openapi/fields.ts'
import type { Content, ResponseDoc } from '../http/openapi/operation.ts'
import type { Route } from '../http/openapi/route.ts'
import { idParameter, type ResourceContext } from './context.ts'
import { envelope, id, jsonPatch, recordContent, type ResourceSchemas } from './openapi/schemas.ts'
import { sendFormAfterError } from './write/forms.ts'
import { acceptedTypes } from './definition.ts'
import { acceptedPatchTypes, jsonPatchType, mergePatchType } from './write/input.ts'
import { create, destroy, replace, toEnvelope, update } from './write/write.ts'

const conditions = ['If-Match', 'If-None-Match', 'If-Unmodified-Since'] as const

const ofRecord = {
  parameters: [id, ...requestHeaders(...conditions, 'Prefer')],
  store: 'writes',
  config: { defaultType: 'json', accepts: acceptedTypes },
} as const
const errors = [404, 405, 406, 409, 412, 428] as const

export function writeRoutes(context: ResourceContext, schemas: ResourceSchemas): readonly Route[] {
  return [
    createRoute(context, schemas),
    updateRoute(context, schemas),
    destroyRoute(context),
    replaceRoute(context, schemas),
  ]
}

function createRoute(context: ResourceContext, schemas: ResourceSchemas): Route {
  const { path, singular } = context.resource
  return {
    method: 'POST',
    url: path,
    summary: `Create a ${singular}`,
    parameters: requestHeaders('Prefer', 'Idempotency-Key'),
    requestBody: { required: true, content: fieldsContent(schemas.input, schemas.inputExample) },
    responses: {
      201: {
        description: `The created ${singular}.`,
        headers: responseHeaders('Location', 'ETag', 'Preference-Applied', 'Idempotency-Replayed'),
        content: recordContent(schemas),
      },
    },
    errors: [406, 409, 412, 422],
    store: 'writes',
    config: { accepts: acceptedTypes, acceptsIdempotencyKey: true },
    errorHandler: sendFormAfterError(context),
    handler: create(context),
  }
}

function updateRoute(context: ResourceContext, schemas: ResourceSchemas): Route {
  const { path, singular } = context.resource
  const redirect = `${path}/${schemas.recordExample._id}`
  return {
    ...ofRecord,
    method: 'PATCH',
    url: `${path}/${idParameter}`,
    summary: `Update fields of a ${singular}`,
    requestBody: { content: toPatches(schemas) },
    responses: {
      200: {
        description: 'Updated: the envelope, or the record with `Prefer: return=representation`.',
        headers: responseHeaders('ETag', 'Content-Location', 'Preference-Applied'),
        content: jsonContent({ anyOf: [envelope, schemas.record] }, toEnvelope({ redirect })),
      },
      ...afterWrite(redirect),
    },
    errors: [...errors, 422],
    config: { ...ofRecord.config, accepts: acceptedPatchTypes },
    errorHandler: sendFormAfterError(context),
    handler: update(context),
  }
}

function toPatches({ changes, inputExample }: ResourceSchemas): Content {
  const [field = '', value] = Object.entries(inputExample)[0] ?? []
  const operations = [{ op: 'replace', path: `/${field}`, value }]
  return {
    ...fieldsContent(changes, inputExample),
    [mergePatchType]: { schema: changes, example: { [field]: value } },
    [jsonPatchType]: { schema: jsonPatch, example: operations },
  }
}

function destroyRoute(context: ResourceContext): Route {
  const { path, singular } = context.resource
  return {
    ...ofRecord,
    method: 'DELETE',
    url: `${path}/${idParameter}`,
    summary: `Delete a ${singular}`,
    responses: {
      200: { description: 'Deleted.', content: jsonContent(envelope, toEnvelope({})) },
      ...afterWrite(path),
    },
    errors,
    errorHandler: sendFormAfterError(context),
    handler: destroy(context),
  }
}

function afterWrite(where: string): Record<string, ResponseDoc> {
  return {
    204: { description: 'Done, with `Prefer: return=minimal`.' },
    303: {
      description: `With \`Accept: text/html\`: redirects to \`${where}\`.`,
      headers: responseHeaders('Location', 'Set-Cookie'),
    },
  }
}

function replaceRoute(context: ResourceContext, schemas: ResourceSchemas): Route {
  const { path, singular } = context.resource
  const content = recordContent(schemas)
  const headers = responseHeaders('Preference-Applied')
  const body = fieldsContent(schemas.replacement, schemas.inputExample)
  return {
    ...ofRecord,
    method: 'PUT',
    url: `${path}/${idParameter}`,
    summary: `Create or replace a ${singular}`,
    description: 'Fields that are absent from the body are removed, except a password.',
    requestBody: { required: true, content: body },
    responses: {
      200: { description: 'Replaced.', headers, content },
      201: {
        description: 'Created.',
        headers: { ...headers, ...responseHeaders('Location') },
        content,
      },
      204: { description: 'Replaced, with `Prefer: return=minimal`.', headers },
    },
    errors: [...errors, 422],
    handler: replace(context),
  }
}
