import { fieldsContent, jsonContent } from '../../http/openapi/content.ts'
import { responseHeaders, requestHeaders } from '../../http/openapi/fields.ts'
import type { ResponseDoc, Content, Operation, Operations } from '../../http/openapi/operation.ts'
import { acceptedPatchTypes, jsonPatchType, mergePatchType } from '../write/input.ts'
import { id, pickTypes, shownContent, type ResourceDocs } from './openapi-parts.ts'
import { envelope, jsonPatch } from './schemas.ts'

/** The documentation of what changes a resource. */
export function toWriteOperations(parts: ResourceDocs): Operations {
  const { path } = parts.resource
  return {
    [`POST ${path}`]: toCreate(parts),
    [`PUT ${path}/:id`]: toReplace(parts),
    [`PATCH ${path}/:id`]: toUpdate(parts),
    [`DELETE ${path}/:id`]: toDestroy(parts),
  }
}

const { etag, location, contentLocation, preferenceApplied, idempotencyReplayed, flash } =
  responseHeaders
const { ifMatch, ifNoneMatch, ifUnmodifiedSince, prefer, idempotencyKey } = requestHeaders
const writing = [id, ifMatch, ifNoneMatch, ifUnmodifiedSince, prefer]

function toCreate({ resource, schemas }: ResourceDocs): Operation {
  return {
    summary: `Create a ${resource.singular}`,
    parameters: [prefer, idempotencyKey],
    requestBody: {
      required: true,
      content: fieldsContent(schemas.input, schemas.inputExample),
    },
    responses: {
      201: {
        description: `The created ${resource.singular}.`,
        headers: {
          Location: location,
          ETag: etag,
          'Preference-Applied': preferenceApplied,
          'Idempotency-Replayed': idempotencyReplayed,
        },
        content: shownContent(schemas),
      },
    },
    errors: [406, 409, 412, 422],
    store: 'writes',
  }
}

function toReplace({ resource, schemas }: ResourceDocs): Operation {
  const content = shownContent(schemas)
  const headers = { 'Preference-Applied': preferenceApplied }
  return {
    summary: `Create or replace the ${resource.singular} of this id`,
    description: 'What is left out of the content is gone; a password stays.',
    parameters: writing,
    requestBody: {
      required: true,
      content: fieldsContent(schemas.replacement, schemas.inputExample),
    },
    responses: {
      200: { description: 'It was replaced.', headers, content },
      201: { description: 'It was created.', headers: { ...headers, Location: location }, content },
      204: { description: 'It was replaced; no content was wanted.', headers },
    },
    errors: [404, 405, 406, 409, 412, 422, 428],
    store: 'writes',
  }
}

function toUpdate({ resource, schemas }: ResourceDocs): Operation {
  const where = `${resource.path}/${schemas.recordExample._id}`
  return {
    summary: `Change some fields of a ${resource.singular}`,
    parameters: writing,
    requestBody: { content: toPatches(schemas) },
    responses: {
      200: {
        description:
          'It was changed: the envelope, or with `Prefer: return=representation` itself.',
        headers: {
          ETag: etag,
          'Content-Location': contentLocation,
          'Preference-Applied': preferenceApplied,
        },
        content: jsonContent({ anyOf: [envelope, schemas.record] }, toEnvelope(where)),
      },
      ...afterWrite(where),
    },
    errors: [404, 405, 406, 409, 412, 422, 428],
    store: 'writes',
  }
}

/** The same change in each language of patches. */
function toPatches({ changes, inputExample }: ResourceDocs['schemas']): Content {
  const [field = '', value] = Object.entries(inputExample)[0] ?? []
  return pickTypes(
    {
      ...fieldsContent(changes, inputExample),
      [mergePatchType]: { schema: changes, example: { [field]: value } },
      [jsonPatchType]: {
        schema: jsonPatch,
        example: [{ op: 'replace', path: `/${field}`, value }],
      },
    },
    acceptedPatchTypes,
  )
}

function toDestroy({ resource }: ResourceDocs): Operation {
  return {
    summary: `Delete a ${resource.singular}`,
    parameters: writing,
    responses: {
      200: { description: 'It is gone.', content: jsonContent(envelope, toEnvelope()) },
      ...afterWrite(resource.path),
    },
    errors: [404, 405, 406, 409, 412, 428],
    store: 'writes',
  }
}

function afterWrite(where: string): Record<string, ResponseDoc> {
  return {
    204: { description: 'Done; no content was wanted.' },
    303: {
      description: `For a page: go to \`${where}\`.`,
      headers: { Location: location, 'Set-Cookie': flash },
    },
  }
}

function toEnvelope(redirect?: string) {
  const data = redirect === undefined ? {} : { redirect }
  // The text of the seed, for both.
  return { data, status: { code: 0, msg: 'delete success' } }
}
