import { fieldsContent, jsonContent } from '../../http/openapi/content.ts'
import { responseHeaders, requestHeaders } from '../../http/openapi/fields.ts'
import type { Content, Operation, ResponseDoc } from '../../http/openapi/operation.ts'
import { jsonPatchType, mergePatchType } from '../write/input.ts'
import { envelope, id, jsonPatch, recordContent, type ResourceDocs } from './schemas.ts'

const { etag, location, contentLocation, preferenceApplied, idempotencyReplayed, flash } =
  responseHeaders
const { ifMatch, ifNoneMatch, ifUnmodifiedSince, prefer, idempotencyKey } = requestHeaders
const writing = [id, ifMatch, ifNoneMatch, ifUnmodifiedSince, prefer]

export function toCreate({ resource, schemas }: ResourceDocs): Operation {
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
        content: recordContent(schemas),
      },
    },
    errors: [406, 409, 412, 422],
    store: 'writes',
  }
}

export function toReplace({ resource, schemas }: ResourceDocs): Operation {
  const content = recordContent(schemas)
  const headers = { 'Preference-Applied': preferenceApplied }
  return {
    summary: `Create or replace a ${resource.singular}`,
    description: 'Fields that are absent from the body are removed, except a password.',
    parameters: writing,
    requestBody: {
      required: true,
      content: fieldsContent(schemas.replacement, schemas.inputExample),
    },
    responses: {
      200: { description: 'Replaced.', headers, content },
      201: { description: 'Created.', headers: { ...headers, Location: location }, content },
      204: { description: 'Replaced, with `Prefer: return=minimal`.', headers },
    },
    errors: [404, 405, 406, 409, 412, 422, 428],
    store: 'writes',
  }
}

export function toUpdate({ resource, schemas }: ResourceDocs): Operation {
  const where = `${resource.path}/${schemas.recordExample._id}`
  return {
    summary: `Update fields of a ${resource.singular}`,
    parameters: writing,
    requestBody: { content: toPatches(schemas) },
    responses: {
      200: {
        description: 'Updated: the envelope, or the record with `Prefer: return=representation`.',
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

/** The same change in each patch format. */
function toPatches({ changes, inputExample }: ResourceDocs['schemas']): Content {
  const [field = '', value] = Object.entries(inputExample)[0] ?? []
  const operations = [{ op: 'replace', path: `/${field}`, value }]
  return {
    ...fieldsContent(changes, inputExample),
    [mergePatchType]: { schema: changes, example: { [field]: value } },
    [jsonPatchType]: { schema: jsonPatch, example: operations },
  }
}

export function toDestroy({ resource }: ResourceDocs): Operation {
  return {
    summary: `Delete a ${resource.singular}`,
    parameters: writing,
    responses: {
      200: { description: 'Deleted.', content: jsonContent(envelope, toEnvelope()) },
      ...afterWrite(resource.path),
    },
    errors: [404, 405, 406, 409, 412, 428],
    store: 'writes',
  }
}

function afterWrite(where: string): Record<string, ResponseDoc> {
  return {
    204: { description: 'Done, with `Prefer: return=minimal`.' },
    303: {
      description: `With \`Accept: text/html\`: redirects to \`${where}\`.`,
      headers: { Location: location, 'Set-Cookie': flash },
    },
  }
}

function toEnvelope(redirect?: string) {
  const data = redirect === undefined ? {} : { redirect }
  // Seed: an update has this text too.
  return { data, status: { code: 0, msg: 'delete success' } }
}
