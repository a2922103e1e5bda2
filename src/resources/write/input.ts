import type { FastifyRequest } from 'fastify'
import { applyJsonPatch, type PatchLimits } from '../../http/body/apply-json-patch.ts'
import { hasBody, isFieldsType, isForm, toMediaType } from '../../http/body/body-reader.ts'
import { isObject } from '../../http/body/is-object.ts'
import { applyMergePatch, parseJsonPatch } from '../../http/body/patch.ts'
import {
  HttpError,
  notAnObject,
  unsupportedMediaType,
  type FieldProblem,
} from '../../http/errors/http-error.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import { acceptedTypes, ownFields, type Field, type Resource } from '../definition.ts'
import { findValue, formToValue } from '../field-values.ts'
import { toRepresentation } from '../record/representations.ts'
import { assertStorable, type Input } from './problems.ts'

export const mergePatchType = 'application/merge-patch+json'
export const jsonPatchType = 'application/json-patch+json'
export const acceptedPatchTypes = [...acceptedTypes, mergePatchType, jsonPatchType] as const

export function parseInput({ resource, config }: ResourceContext, request: FastifyRequest): Input {
  const { headers, raw, method } = request
  const type = toMediaType(headers['content-type'])
  const isPatch = type === mergePatchType || type === jsonPatchType
  if (hasBody(raw) && (!isFieldsType(type) || isPatch)) throw unsupportedInput(resource, method)
  const body = decodeNames(resource, request.body === undefined ? {} : request.body)
  if (!isObject(body)) throw notAnObject(resource.singular)
  assertStorable(body)
  const unknownFields = findUnknownFields(resource, body)
  const named = resource.fields.filter(({ name }) => Object.hasOwn(body, name))
  if (isForm(request)) {
    // A form does not show the password: left empty on an edit, it stays.
    const isKept = ({ name, kind }: Field) =>
      method !== 'POST' && kind === 'password' && body[name] === ''
    const sent = named.filter((field) => !isKept(field))
    return { ...parseForm(sent, body, config), unknownFields }
  }
  const fields = named.map(({ name, isNullable }): [string, unknown] => {
    return [name, body[name] === null && !isNullable ? undefined : body[name]]
  })
  return { fields: Object.fromEntries(fields), unknownFields, problems: [] }
}

function unsupportedInput({ singular }: Resource, method: string) {
  const types = method === 'PATCH' ? acceptedPatchTypes : acceptedTypes
  // RFC 9110 §15.5.16: Accept for every other method.
  const header =
    method === 'POST' || method === 'PATCH' ? `accept-${method.toLowerCase()}` : 'accept'
  return unsupportedMediaType(`A ${singular} must be sent as ${types.join(' or ')}.`, {
    [header]: types.join(', '),
  })
}

function parseForm(fields: readonly Field[], body: Document, limits: PatchLimits) {
  const problems: FieldProblem[] = []
  const entries = fields.map((field): [string, unknown] => {
    const sent = body[field.name]
    try {
      return [field.name, formToValue(field, sent, limits)]
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      if (field.kind === 'json') problems.push({ field: field.name, message: 'must be JSON' })
      return [field.name, sent]
    }
  })
  return { fields: Object.fromEntries(entries), problems }
}

function decodeNames({ fields }: Resource, body: unknown): unknown {
  if (!isObject(body)) return body
  const names = new Map(fields.map(({ name, inputName }) => [inputName, name]))
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [names.get(name) ?? name, value]),
  )
}

/** A client can PUT the body of a GET: the id and the times in it are ignored. */
function findUnknownFields({ fields }: Resource, body: object): readonly string[] {
  const known = [...fields.map(({ name }) => name), ...ownFields]
  return Object.keys(body).filter((name) => !known.includes(name))
}

/** The function applies a patch in any format; it throws 409 for a record that does not fit it. */
export function parsePatch(
  context: ResourceContext,
  request: FastifyRequest,
): (record: StoredRecord) => Input {
  const { resource, config } = context
  const { body, headers } = request
  const type = hasBody(request.raw) ? toMediaType(headers['content-type']) : ''
  if (type === jsonPatchType) {
    const operations = parseJsonPatch(body)
    assertStorable(body)
    return (record) =>
      toInput(resource, record, (target) => applyJsonPatch(target, operations, config))
  }
  if (type === mergePatchType) {
    const patch = decodeNames(resource, body)
    assertStorable(body)
    return (record) => toInput(resource, record, (target) => applyMergePatch(target, patch))
  }
  const input = parseInput(context, request)
  return () => input
}

function toInput(
  resource: Resource,
  record: StoredRecord,
  apply: (target: unknown) => unknown,
): Input {
  const shown = toRepresentation(resource, record)
  // A password can be set, but not read or tested.
  const hidden = resource.passwords.map(({ name }): [string, null] => [name, null])
  const result = apply({ ...shown, ...Object.fromEntries(hidden) })
  if (!isObject(result)) throw notAnObject(resource.singular)
  const changed = ownFields.filter((field) => result[field] !== shown[field])
  const fields = resource.fields.flatMap(({ name, kind }): [string, unknown][] => {
    const value = findValue(result, name)
    return kind === 'password' && value === null ? [] : [[name, value]]
  })
  return {
    fields: Object.fromEntries(fields),
    unknownFields: findUnknownFields(resource, result),
    problems: changed.map((field) => ({ field, message: 'cannot be changed' })),
  }
}
