import type { FastifyRequest } from 'fastify'
import type { TLocalizedValidationError } from 'typebox/error'
import { hasBody, isFieldsType, toMediaType } from '../../http/body/body-reader.ts'
import { isObject } from '../../http/body/is-object.ts'
import { isDecimal } from '../../http/request/number.ts'
import {
  badRequest,
  notAnObject,
  unsupportedMediaType,
  type FieldProblem,
} from '../../http/errors/http-error.ts'
import type { Document } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'

/** Every media type in which a resource takes content, for Accept-Post. */
export const acceptedTypes = ['application/json', 'application/x-www-form-urlencoded'] as const

/** The languages of patches: what they say of a record is not what the record is. */
export const mergePatchType = 'application/merge-patch+json'
export const jsonPatchType = 'application/json-patch+json'

/** For Accept-Patch. */
export const acceptedPatchTypes = [...acceptedTypes, mergePatchType, jsonPatchType] as const

/** Where a 415 says what would be taken; RFC 9110 §15.5.16 has Accept for every other method. */
const acceptHeaders: Readonly<Record<string, string>> = {
  POST: 'accept-post',
  PATCH: 'accept-patch',
}

/** What a request says of a record. */
export interface Input {
  /** The fields it names; undefined where it says that there shall be none. */
  fields: Record<string, unknown>
  /** Names it uses that the resource does not have. */
  unknownFields: readonly string[]
}

// What GET gave can be PUT back: these are the service's to set, and are passed over.
export const ownFields = ['_id', 'createdAt', 'updatedAt'] as const

/**
 * Reads the content of a write. Throws 415 for a type that is not taken, 422 for content that is no
 * object, 400 for text that cannot be stored.
 */
export function parseInput(resource: Resource, request: FastifyRequest): Input {
  const type = toMediaType(request.headers['content-type'])
  const body = request.body === undefined ? {} : request.body
  const isPatchLanguage = type === mergePatchType || type === jsonPatchType
  if (hasBody(request.raw) && (!isFieldsType(type) || isPatchLanguage)) {
    throw unsupportedInput(resource, request.method)
  }
  if (!isObject(body)) throw notAnObject(resource.singular)
  assertStorable(body)
  return toInput(resource, body, {
    isForm: type === 'application/x-www-form-urlencoded',
    isEdit: request.method !== 'POST',
  })
}

/** 415 that says what would be taken. */
function unsupportedInput({ singular }: Resource, method: string) {
  const types = method === 'PATCH' ? acceptedPatchTypes : acceptedTypes
  return unsupportedMediaType(`A ${singular} is read from ${types.join(' or ')}.`, {
    [acceptHeaders[method] ?? 'accept']: types.join(', '),
  })
}

/** Names that a write uses and the resource does not have. */
export function findUnknownFields({ fields }: Resource, body: object): readonly string[] {
  const known: readonly string[] = [...fields.map(({ name }) => name), ...ownFields]
  return Object.keys(body).filter((name) => !known.includes(name))
}

function toInput(
  resource: Resource,
  body: Readonly<Record<string, unknown>>,
  { isForm, isEdit }: { isForm: boolean; isEdit: boolean },
): Input {
  const named: Record<string, unknown> = {}
  for (const field of resource.fields) {
    if (!Object.hasOwn(body, field.name)) continue
    const value = body[field.name]
    // A form shows no password: left blank on an edit, it is the one there was.
    if (isForm && isEdit && field.kind === 'password' && value === '') continue
    // RFC 7396: null removes.
    named[field.name] = isForm ? fromForm(field, value) : (value ?? undefined)
  }
  return { fields: named, unknownFields: findUnknownFields(resource, body) }
}

/** A form has only text: numbers are read from it, and a blank optional field is an absent one. */
function fromForm({ kind, isRequired }: Field, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '' && !isRequired) return undefined
  if (kind === 'number') return isDecimal(value.trim()) ? Number(value) : value
  // A browser sends every line break as two characters, whatever was typed.
  return value.replaceAll('\r\n', '\n')
}

/** Not every store can keep U+0000 or half a surrogate pair, so none is asked to. */
export function assertStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw badRequest('Text may not hold the character U+0000.')
    if (!value.isWellFormed()) throw badRequest('Text may not hold half of a surrogate pair.')
  } else if (typeof value === 'object' && value !== null) {
    Object.entries(value).flat().forEach(assertStorable)
  }
}

/** What is wrong with a document, field by field; nothing when it may be kept. */
export function findProblems(resource: Resource, document: Document): readonly FieldProblem[] {
  const order = resource.fields.map(({ name }) => name)
  const [, errors] = resource.validator().Errors(document)
  return [...errors.flatMap(toFieldProblems), ...toByteProblems(resource, document)].toSorted(
    (one, other) => order.indexOf(one.field) - order.indexOf(other.field),
  )
}

function toByteProblems({ maxBytes = {} }: Resource, document: Document): FieldProblem[] {
  return Object.entries(maxBytes).flatMap(([field, limit]) => {
    const value = document[field]
    const isLong = typeof value === 'string' && Buffer.byteLength(value) > limit
    return isLong ? [{ field, message: `must be at most ${String(limit)} bytes long` }] : []
  })
}

function toFieldProblems(error: TLocalizedValidationError): FieldProblem[] {
  const field = error.instancePath.slice(1)
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        field: name,
        message: 'is required',
      }))
    case 'dependentRequired':
      return error.params.dependencies.map((name) => ({
        field: name,
        message: `is required where ${error.params.property} is given`,
      }))
    case 'minLength':
      return [{ field, message: 'must not be empty' }]
    case 'maxLength':
      return [{ field, message: `must be at most ${String(error.params.limit)} characters long` }]
    case 'minimum':
      return [{ field, message: `must be at least ${String(error.params.limit)}` }]
    case 'maximum':
      return [{ field, message: `must be at most ${String(error.params.limit)}` }]
    case 'type':
      return [
        { field, message: error.params.type === 'number' ? 'must be a number' : 'must be text' },
      ]
    default:
      return [{ field, message: error.message }]
  }
}
