import type { TLocalizedValidationError } from 'typebox/error'
import { badRequest, unprocessable, type FieldProblem } from '../../http/errors/http-error.ts'
import type { Document } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'

export interface Input {
  /** The fields that it names; undefined removes one. */
  fields: Document
  unknownFields: readonly string[]
  problems: readonly FieldProblem[]
}

/** The document with the changes of the input. Throws 422 with every problem of the result. */
export function mergeInput(
  resource: Resource,
  document: Document,
  { fields, unknownFields, problems }: Input,
  isStrict: boolean,
): Document {
  const entries = Object.entries({ ...document, ...fields })
  const merged = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  const known = problems.map(({ field }) => field)
  const all = [
    ...problems,
    ...(isStrict ? unknownFields : []).map((field) => ({ field, message: 'is an unknown field' })),
    ...findProblems(resource, merged).filter(({ field }) => !known.includes(field)),
  ]
  if (all.length > 0) throw unprocessable(all)
  return merged
}

export function findProblems(resource: Resource, document: Document): readonly FieldProblem[] {
  const order = resource.fields.map(({ name }) => name)
  const validator = resource.validator()
  // Listing the errors of a valid document takes ten times as long.
  const errors = validator.Check(document) ? [] : validator.Errors(document)[1]
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

function toMessage({ keyword, params, message }: TLocalizedValidationError): string {
  switch (keyword) {
    case 'minLength':
    case 'maxLength':
    case 'minimum':
    case 'maximum': {
      if (keyword === 'minLength' && params.limit === 1) return 'must not be empty'
      const limit = `${keyword.startsWith('min') ? 'least' : 'most'} ${String(params.limit)}`
      return `must be at ${limit}${keyword.endsWith('Length') ? ' characters long' : ''}`
    }
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

/** Throws 400 for text that not every store can hold. */
export function assertStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw badRequest('Text must not contain the character U+0000.')
    if (!value.isWellFormed()) throw badRequest('Text must not contain half a surrogate pair.')
  } else if (typeof value === 'object' && value !== null) {
    Object.entries(value).flat().forEach(assertStorable)
  }
}
