import type { FastifyRequest } from 'fastify'
import { applyJsonPatch, type PatchLimits } from '../../http/body/apply-json-patch.ts'
import { hasBody, toMediaType } from '../../http/body/body-reader.ts'
import { isObject } from '../../http/body/is-object.ts'
import { applyMergePatch, parseJsonPatch } from '../../http/body/patch.ts'
import { notAnObject } from '../../http/errors/http-error.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { ownFields, type Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'
import { toRepresentation } from '../record/representations.ts'
import {
  decodeNames,
  findUnknownFields,
  jsonPatchType,
  mergePatchType,
  parseInput,
  type Input,
} from './input.ts'
import { assertStorable } from './problems.ts'

/**
 * Parses a JSON Patch, a merge patch, or plain fields. The returned function applies it to a record,
 * and throws 409 when it does not fit.
 */
export function parsePatch(
  resource: Resource,
  request: FastifyRequest,
  limits: PatchLimits,
): (record: StoredRecord) => Input {
  const { body, headers } = request
  const type = hasBody(request.raw) ? toMediaType(headers['content-type']) : ''
  if (type === jsonPatchType) {
    const operations = parseJsonPatch(body)
    assertStorable(body)
    return (record) =>
      toInput(resource, record, applyJsonPatch(toTarget(resource, record), operations, limits))
  }
  if (type === mergePatchType) {
    const patch = decodeNames(resource, body)
    assertStorable(body)
    return (record) => toInput(resource, record, applyMergePatch(toTarget(resource, record), patch))
  }
  const input = parseInput(resource, request, limits)
  return () => input
}

/** The record as it is shown, and null for its passwords, which can be set, but not read or tested. */
function toTarget(resource: Resource, record: StoredRecord): Readonly<Record<string, unknown>> {
  const hidden = resource.passwords.map(({ name }) => [name, null])
  return { ...toRepresentation(resource, record), ...Object.fromEntries(hidden) }
}

function toInput(resource: Resource, record: StoredRecord, result: unknown): Input {
  if (!isObject(result)) throw notAnObject(resource.singular)
  const shown = toRepresentation(resource, record)
  const changed = ownFields.filter((field) => result[field] !== shown[field])
  const fields = resource.fields
    .map(({ name, kind }) => ({ name, kind, value: findValue(result, name) }))
    .filter(({ kind, value }) => kind !== 'password' || value !== null)
    .map(({ name, value }): [string, unknown] => [name, value])
  return {
    fields: Object.fromEntries(fields),
    unknownFields: findUnknownFields(resource, result),
    problems: changed.map((field) => ({ field, message: 'cannot be changed' })),
  }
}
