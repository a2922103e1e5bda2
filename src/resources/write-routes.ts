import { isForm } from '../http/body/body-reader.ts'
import { escapePointer } from '../http/body/patch.ts'
import { fieldsContent, jsonContent, pageContent } from '../http/openapi/content.ts'
import { requestHeaders, responseHeaders } from '../http/openapi/fields.ts'
import type { Content, ResponseDoc } from '../http/openapi/operation.ts'
import { toRecordPath, toRecordRoute, toRouteConfig } from './context.ts'
import type { FindFixed, ResourceContext, ResourceRoute } from './context.ts'
import { envelope, jsonPatch, type ResourceSchemas } from './openapi/schemas.ts'
import { sendFormAfterError } from './write/forms.ts'
import { patchTypes, acceptedTypes, jsonPatchType, mergeType, type Resource } from './definition.ts'
import { destroyMany, withSelection } from './write/destroy-many.ts'
import { create, destroy, replace, toEnvelope, update } from './write/write.ts'

const file = 'src/resources/write/write.ts'
const conditions = requestHeaders('If-Match', 'If-None-Match', 'If-Unmodified-Since', 'Prefer')
const written = responseHeaders('Preference-Applied', 'Vitrine-Ignored-Fields')
const createdByPut = { ...written, ...responseHeaders('Location') }
const created = { ...createdByPut, ...responseHeaders('ETag', 'Idempotency-Replayed') }
const errors = [404, 405, 406, 409, 412, 428] as const

export function toWriteRoutes(
  context: ResourceContext,
  schemas: ResourceSchemas,
): readonly ResourceRoute[] {
  const { isSingular, isValue } = context.resource
  const ofList = isSingular ? [] : [postRecords, deleteRecord]
  const routes = [...ofList, ...(isValue ? [] : [patchRecord]), putRecord]
  return routes.map((toRoute) => toRoute(context, schemas))
}

/** An empty body is a record without fields. */
const needsFields = ({ fields }: Resource) => fields.some(({ isRequired }) => isRequired)

export function postRecord(
  context: ResourceContext,
  schemas: ResourceSchemas,
  findFixed?: FindFixed,
): ResourceRoute {
  const { resource } = context
  const { path, singular, oneRecord } = resource
  return {
    operation: 'create',
    method: 'POST',
    url: path,
    summary: `Create ${oneRecord}`,
    file,
    parameters: requestHeaders('Prefer', 'Idempotency-Key'),
    requestBody: {
      required: needsFields(resource),
      content: fieldsContent(schemas.input, schemas.inputExample),
    },
    responses: {
      201: {
        description: `The created ${singular}.`,
        headers: created,
        content: { ...pageContent, ...schemas.json },
      },
    },
    errors: [406, 409, 412, 422],
    store: 'writes',
    config: { ...toRouteConfig(resource), accepts: acceptedTypes, acceptsIdempotencyKey: true },
    errorHandler: sendFormAfterError(context),
    handler: create(context, findFixed),
  }
}

function toSharedParts({ resource }: ResourceContext, { idParameters }: ResourceSchemas) {
  return {
    file,
    url: toRecordRoute(resource),
    parameters: [...idParameters, ...conditions],
    store: 'writes',
    config: { defaultType: 'json', accepts: acceptedTypes },
  } as const
}

function patchRecord(context: ResourceContext, schemas: ResourceSchemas): ResourceRoute {
  const { resource } = context
  const { record, exampleId, json } = schemas
  const { usesEnvelope, oneRecord } = resource
  const redirect = toRecordPath(resource, exampleId)
  const route = toSharedParts(context, schemas)
  return {
    ...route,
    operation: 'change',
    method: 'PATCH',
    summary: `Update fields of ${oneRecord}`,
    requestBody: { content: toPatches(schemas) },
    responses: {
      200: {
        description: usesEnvelope
          ? 'Updated: the envelope, or the record with `Prefer: return=representation`.'
          : 'Updated.',
        headers: { ...written, ...responseHeaders('ETag', 'Content-Location') },
        content: usesEnvelope
          ? jsonContent({ anyOf: [envelope, record] }, toEnvelope({ redirect }))
          : json,
      },
      ...toOtherResponses(redirect),
    },
    errors: [...errors, 422],
    config: { ...route.config, accepts: patchTypes },
    errorHandler: sendFormAfterError(context),
    handler: update(context),
  }
}

function deleteRecord(context: ResourceContext, schemas: ResourceSchemas): ResourceRoute {
  const { path, oneRecord, usesEnvelope } = context.resource
  return {
    ...toSharedParts(context, schemas),
    operation: 'remove',
    method: 'DELETE',
    summary: `Delete ${oneRecord}`,
    responses: {
      ...(usesEnvelope && {
        200: { description: 'Deleted.', content: jsonContent(envelope, toEnvelope({})) },
      }),
      ...toOtherResponses(path),
    },
    errors,
    errorHandler: sendFormAfterError(context),
    handler: destroy(context),
  }
}

function postRecords(context: ResourceContext, schemas: ResourceSchemas): ResourceRoute {
  return {
    ...withSelection(postRecord(context, schemas), destroyMany(context)),
    description: `Creates ${context.resource.oneRecord}. The response has the record, and Location has its URL. A form sent to \`?_delete=selected\` deletes the selected records instead.`,
  }
}

function putRecord(context: ResourceContext, schemas: ResourceSchemas): ResourceRoute {
  const { resource } = context
  const { replacement, inputExample, json } = schemas
  const content = { ...pageContent, ...json }
  const { 303: redirect, ...minimal } = toOtherResponses(resource.path)
  return {
    ...toSharedParts(context, schemas),
    operation: 'change',
    method: 'PUT',
    summary: `${resource.isSingular ? 'Replace' : 'Create or replace'} ${resource.oneRecord}`,
    description: 'Fields that are absent from the body are removed, except a password.',
    requestBody: {
      required: needsFields(resource),
      content: { ...fieldsContent(replacement, inputExample), ...(resource.isValue && json) },
    },
    responses: {
      200: { description: 'Replaced.', headers: written, content },
      ...(!resource.isSingular && {
        201: { description: 'Created.', headers: createdByPut, content },
      }),
      ...minimal,
      ...(resource.isValue && { 303: redirect }),
    },
    errors: [...errors, 422],
    handler: replace(context),
    ...(resource.isValue && putForm(context)),
  }
}

/** The form of a value sends PUT, with the text of the value, which can be unchanged. */
function putForm(context: ResourceContext): Pick<ResourceRoute, 'handler' | 'errorHandler'> {
  const [save, put] = [update(context), replace(context)]
  return {
    handler(request, reply) {
      return (isForm(request) ? save : put).call(this, request, reply)
    },
    errorHandler: sendFormAfterError(context),
  }
}

function toPatches({ changes, inputExample }: ResourceSchemas): Content {
  const [field = '', value] = Object.entries(inputExample)[0] ?? []
  const path = `/${escapePointer(field)}`
  const operations = value === undefined ? [] : [{ op: 'replace', path, value }]
  return {
    ...fieldsContent(changes, inputExample),
    [mergeType]: { schema: changes, example: { [field]: value } },
    [jsonPatchType]: { schema: jsonPatch, example: operations },
  }
}

function toOtherResponses(where: string): Record<204 | 303, ResponseDoc> {
  return {
    204: { description: 'Done, with `Prefer: return=minimal`.', headers: written },
    303: {
      description: `With \`Accept: text/html\`: redirects to \`${where}\`.`,
      headers: responseHeaders('Location', 'Set-Cookie'),
    },
  }
}
