import type { FastifyRequest } from 'fastify'
import { hasBody, toMediaType } from '../../http/body/body-reader.ts'
import { applyJsonPatch, type PatchLimits } from '../../http/body/apply-json-patch.ts'
import { isObject } from '../../http/body/is-object.ts'
import { applyMergePatch, parseJsonPatch } from '../../http/body/patch.ts'
import { notAnObject } from '../../http/errors/http-error.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { ownFields, type Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'
import { toRepresentation } from '../record/representations.ts'
import {
  assertStorable,
  decodeNames,
  findUnknownFields,
  jsonPatchType,
  mergePatchType,
  parseInput,
  type Input,
} from './input.ts'

/** What a PATCH makes of a record. */
export type Patch = (record: StoredRecord) => Input

/**
 * Parses a JSON Patch, a merge patch, or plain fields. Throws as `parseInput` does, and 400 for a
 * malformed patch. The patch throws 409 when it does not fit the record.
 */
export function parsePatch(
  resource: Resource,
  request: FastifyRequest,
  limits: PatchLimits,
): Patch {
  const { body } = request
  const type = hasBody(request.raw) ? toMediaType(request.headers['content-type']) : ''
  if (type !== jsonPatchType && type !== mergePatchType) {
    const input = parseInput(resource, request, limits)
    return () => input
  }
  const apply =
    type === jsonPatchType ? createJsonPatch(body, limits) : createMergePatch(resource, body)
  assertStorable(body)
  return (record) => {
    return toInput(resource, record, apply(toTarget(resource, record)))
  }
}

function createJsonPatch(body: unknown, limits: PatchLimits) {
  const operations = parseJsonPatch(body)
  return (target: unknown) => applyJsonPatch(target, operations, limits)
}

function createMergePatch(resource: Resource, body: unknown) {
  const patch = decodeNames(resource, body)
  return (target: unknown) => applyMergePatch(target, patch)
}

/** The record as it is shown, and null for its passwords, which can be set, but not read or tested. */
function toTarget(resource: Resource, record: StoredRecord): Readonly<Record<string, unknown>> {
  const passwords = resource.fields.filter(({ kind }) => kind === 'password')
  const hidden = Object.fromEntries(passwords.map(({ name }) => [name, null]))
  return { ...toRepresentation(resource, record), ...hidden }
}

function toInput(resource: Resource, record: StoredRecord, result: unknown): Input {
  if (!isObject(result)) throw notAnObject(resource.singular)
  const shown = toRepresentation(resource, record)
  const problems = ownFields
    .filter((field) => result[field] !== shown[field])
    .map((field) => ({ field, message: 'cannot be changed' }))
  const fields = resource.fields
    .map(({ name, kind }) => ({ name, kind, value: findValue(result, name) }))
    .filter(({ kind, value }) => kind !== 'password' || value !== null)
    .map(({ name, value }): [string, unknown] => [name, value])
  return {
    fields: Object.fromEntries(fields),
    unknownFields: findUnknownFields(resource, result),
    problems,
  }
}
