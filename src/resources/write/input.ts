import type { FastifyRequest } from 'fastify'
import type { TLocalizedValidationError } from 'typebox/error'
import { hasBody, isFieldsType, isForm, toMediaType } from '../../http/body/body-reader.ts'
import type { PatchLimits } from '../../http/body/apply-json-patch.ts'
import { isObject } from '../../http/body/is-object.ts'
import {
  badRequest,
  HttpError,
  notAnObject,
  unsupportedMediaType,
  type FieldProblem,
} from '../../http/errors/http-error.ts'
import type { Document } from '../../stores/records/records.ts'
import { ownFields, type Field, type Resource } from '../definition.ts'
import { findValue, formToValue } from '../field-values.ts'

/** For Accept-Post. */
export const acceptedTypes = ['application/json', 'application/x-www-form-urlencoded'] as const
export const mergePatchType = 'application/merge-patch+json'
export const jsonPatchType = 'application/json-patch+json'
/** For Accept-Patch. */
export const acceptedPatchTypes = [...acceptedTypes, mergePatchType, jsonPatchType] as const

// RFC 9110 §15.5.16: Accept for every other method.
const acceptHeaders: Readonly<Record<string, string>> = {
  POST: 'accept-post',
  PATCH: 'accept-patch',
}

/** What a request asks a record to be. */
export interface Input {
  /** The fields that it names; undefined removes one. */
  fields: Document
  unknownFields: readonly string[]
  problems: readonly FieldProblem[]
}

/**
 * Throws 415 for a media type that is not accepted, 422 for a body that is no object, 400 for text
 * that cannot be stored.
 */
export function parseInput(
  resource: Resource,
  request: FastifyRequest,
  limits: PatchLimits,
): Input {
  const type = toMediaType(request.headers['content-type'])
  const isPatch = type === mergePatchType || type === jsonPatchType
  if (hasBody(request.raw) && (!isFieldsType(type) || isPatch)) {
    throw unsupportedInput(resource, request.method)
  }
  const body = decodeNames(resource, request.body === undefined ? {} : request.body)
  if (!isObject(body)) throw notAnObject(resource.singular)
  assertStorable(body)
  const unknownFields = findUnknownFields(resource, body)
  const named = resource.fields.filter(({ name }) => Object.hasOwn(body, name))
  if (isForm(request)) {
    // A form does not show the password: left empty on an edit, it stays.
    const isEdit = request.method !== 'POST'
    const sent = named.filter(
      ({ name, kind }) => !(isEdit && kind === 'password' && body[name] === ''),
    )
    return { ...parseForm(sent, body, limits), unknownFields }
  }
  const fields = named.map(({ name, isNullable }): [string, unknown] => {
    return [name, body[name] === null && !isNullable ? undefined : body[name]]
  })
  return { fields: Object.fromEntries(fields), unknownFields, problems: [] }
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

/** The body with the names of the fields in place of those that the body could not carry. */
export function decodeNames({ fields }: Resource, body: unknown): unknown {
  const encoded = fields.filter(({ name, inputName }) => name !== inputName)
  if (encoded.length === 0 || !isObject(body)) return body
  const names = new Map(encoded.map(({ name, inputName }) => [inputName, name]))
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [names.get(name) ?? name, value]),
  )
}

function unsupportedInput({ singular }: Resource, method: string) {
  const types = method === 'PATCH' ? acceptedPatchTypes : acceptedTypes
  return unsupportedMediaType(`A ${singular} must be sent as ${types.join(' or ')}.`, {
    [acceptHeaders[method] ?? 'accept']: types.join(', '),
  })
}

export function findUnknownFields({ fields }: Resource, body: object): readonly string[] {
  // What GET returned can be sent back with PUT: the own fields are ignored.
  const known: readonly string[] = [...fields.map(({ name }) => name), ...ownFields]
  return Object.keys(body).filter((name) => !known.includes(name))
}

/** Throws 400 for text that not every store can hold. */
export function assertStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw badRequest('Text must not contain the character U+0000.')
    if (!value.isWellFormed()) throw badRequest('Text must not contain half a surrogate pair.')
  } else if (typeof value === 'object' && value !== null) {
    Object.entries(value).flat().forEach(assertStorable)
  }
}

/** The problems of a document in the order of its fields; none when it is valid. */
export function findProblems(resource: Resource, document: Document): readonly FieldProblem[] {
  const order = resource.fields.map(({ name }) => name)
  const [, errors] = resource.validator().Errors(document)
  return [...errors.flatMap(toFieldProblems), ...findLongTexts(resource, document)].toSorted(
    (one, other) => order.indexOf(one.field) - order.indexOf(other.field),
  )
}

function findLongTexts({ maxBytes = {} }: Resource, document: Document): FieldProblem[] {
  return Object.entries(maxBytes).flatMap(([field, limit]) => {
    const value = findValue(document, field)
    const isLong = typeof value === 'string' && Buffer.byteLength(value) > limit
    return isLong ? [{ field, message: `must be at most ${String(limit)} bytes long` }] : []
  })
}

function toFieldProblems(error: TLocalizedValidationError): FieldProblem[] {
  // RFC 6901: `~1` before `~0`.
  const [field, ...inside] = error.instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (field === undefined) return findMissing(error)
  const path = inside.length === 0 ? '' : `at /${inside.join('/')} `
  return [{ field, message: path + toMessage(error) }]
}

function findMissing(error: TLocalizedValidationError): FieldProblem[] {
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((field) => ({ field, message: 'is required' }))
    case 'dependentRequired':
      return error.params.dependencies.map((field) => ({
        field,
        message: `is required with ${error.params.property}`,
      }))
    default:
      return [{ field: '', message: error.message }]
  }
}

const typeMessages: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  integer: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
}

/** Completes "name …". */
function toMessage({ keyword, params, message }: TLocalizedValidationError): string {
  switch (keyword) {
    case 'minLength':
      return params.limit === 1
        ? 'must not be empty'
        : `must be at least ${String(params.limit)} characters long`
    case 'maxLength':
      return `must be at most ${String(params.limit)} characters long`
    case 'minimum':
      return `must be at least ${String(params.limit)}`
    case 'maximum':
      return `must be at most ${String(params.limit)}`
    case 'type':
      return typeMessages[[params.type].flat()[0] ?? ''] ?? message
    case 'enum':
      return `must be one of ${params.allowedValues.map(String).join(', ')}`
    case 'format':
      return params.format === 'date'
        ? 'must be a date like 2026-11-21'
        : 'must be a time like 2026-11-21T08:00:00Z'
    case 'boolean':
      return 'is not allowed'
    default:
      return message
  }
}
