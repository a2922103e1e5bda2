import type { FastifyRequest } from 'fastify'
import { hasBody, toMediaType } from '../../http/body/body-reader.ts'
import { applyJsonPatch, type PatchLimits } from '../../http/body/apply-json-patch.ts'
import { isObject } from '../../http/body/is-object.ts'
import { applyMergePatch, parseJsonPatch } from '../../http/body/patch.ts'
import { notAnObject, type FieldProblem } from '../../http/errors/http-error.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import {
  findUnknownFields,
  jsonPatchType,
  mergePatchType,
  ownFields,
  parseInput,
  assertStorable,
  type Input,
} from './input.ts'
import { toRepresentation } from '../record/representations.ts'

/** What a PATCH makes of a record, and what is wrong with that beside the fields. */
export type Patch = (record: StoredRecord) => Input & { problems: readonly FieldProblem[] }

/**
 * Reads the content of a PATCH by its media type: a JSON Patch, a merge patch, or plain fields.
 * Throws as `parseInput` does, and 400 for a malformed patch. The patch itself throws 409 when it
 * does not fit the record.
 */
export function parsePatch(
  resource: Resource,
  request: FastifyRequest,
  limits: PatchLimits,
): Patch {
  const type = hasBody(request.raw) ? toMediaType(request.headers['content-type']) : ''
  if (type === jsonPatchType) {
    const operations = parseJsonPatch(request.body)
    assertStorable(request.body)
    return (record) => {
      return toChanges(
        resource,
        record,
        applyJsonPatch(toTarget(resource, record), operations, limits),
      )
    }
  }
  if (type === mergePatchType) {
    const { body } = request
    assertStorable(body)
    return (record) => {
      return toChanges(resource, record, applyMergePatch(toTarget(resource, record), body))
    }
  }
  const input = parseInput(resource, request)
  return () => ({ ...input, problems: [] })
}

/** What is patched is what is shown. A password is null: it can be set, but not read or tested. */
function toTarget(resource: Resource, record: StoredRecord): Record<string, unknown> {
  const passwords = resource.fields.filter(({ kind }) => kind === 'password')
  const hidden = Object.fromEntries(passwords.map(({ name }) => [name, null]))
  return { ...toRepresentation(resource, record), ...hidden }
}

function toChanges(resource: Resource, record: StoredRecord, result: unknown): ReturnType<Patch> {
  if (!isObject(result)) throw notAnObject(resource.singular)
  const shown = toRepresentation(resource, record)
  const problems = ownFields
    .filter((field) => result[field] !== shown[field])
    .map((field) => ({ field, message: 'is not to be changed' }))
  const named = resource.fields
    .filter(({ name, kind }) => kind !== 'password' || result[name] !== null)
    .map(({ name }) => [name, result[name]])
  const strangers = findUnknownFields(resource, result)
  return {
    fields: Object.fromEntries(named) as Input['fields'],
    unknownFields: strangers,
    problems,
  }
}
