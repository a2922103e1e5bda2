import { formatNumber } from '../../config/format-count.ts'
import { maxDocumentCheckMs } from '../../config/limits.ts'
import { toFieldProblems } from '../../http/body/schema-problems.ts'
import { badRequest, type FieldProblem } from '../../http/errors/http-error.ts'
import { isSlow, jsonTypes, toTypes } from '../../http/openapi/json-schema.ts'
import { runWithin } from '../../http/run-within.ts'
import type { Document } from '../../stores/records/records.ts'
import type { Resource } from '../definition.ts'
import { findValue } from '../field-values.ts'

/** A client can PUT the body of a GET, so its id and times are ignored. */
export function findUnknownFields({ fields, fixed }: Resource, body: object): readonly string[] {
  const known = new Set([...fields.map(({ name }) => name), ...fixed])
  return Object.keys(body).filter((name) => !known.has(name))
}

export function findProblems(resource: Resource, document: Document): readonly FieldProblem[] {
  return findAllProblems(resource, [document])[0] ?? []
}

/** A document that takes too long has one problem, and those after it are not checked. */
export function findAllProblems(
  resource: Resource,
  documents: readonly Document[],
): (readonly FieldProblem[])[] {
  if (!resource.isChecked) return []
  const problems: (readonly FieldProblem[])[] = []
  const check = () => {
    // The check can run more than once.
    problems.length = 0
    for (const document of documents) problems.push(findErrors(resource, document))
    return true
  }
  const isDone = resource.isSlow ? runWithin(maxDocumentCheckMs + documents.length, check) : check()
  if (isDone !== true) problems.push([toTooSlow(resource, documents[problems.length] ?? {})])
  return problems
}

/** Names the field if it is the only one of the document whose rule can be slow. */
function toTooSlow({ fields }: Resource, document: Document): FieldProblem {
  const slow = fields.filter(({ name, rule }) => Object.hasOwn(document, name) && isSlow(rule))
  const field = slow.length === 1 ? (slow[0]?.name ?? '') : ''
  const message = `takes more than ${String(maxDocumentCheckMs)} ms to check: make it shorter, or change the pattern or uniqueItems of the schema`
  return { field, message }
}

function findErrors(resource: Resource, document: Document): readonly FieldProblem[] {
  const validator = resource.validator()
  const order = resource.fields.map(({ name }) => name)
  // Listing the errors of a valid document takes ten times as long.
  const errors = validator.Check(document) ? [] : validator.Errors(document)[1]
  const problems = errors.flatMap((error) => {
    const found = toFieldProblems(error)
    return error.keyword === 'type' ? found.map((each) => withSource(resource, each)) : found
  })
  return [...problems, ...findLongTexts(resource, document)].toSorted(
    (one, other) => order.indexOf(one.field) - order.indexOf(other.field),
  )
}

/** Where a type comes from that is no rule of a schema, and how to allow others. */
function withSource({ name, fields, inferredFrom }: Resource, problem: FieldProblem): FieldProblem {
  const field = fields.find((known) => known.name === problem.field)
  if (!field?.isInferred || inferredFrom === undefined) return problem
  const types = problem.inside?.length ? toTypes(field.schema) : jsonTypes
  const schema = { [name]: { properties: { [field.name]: { type: types } } } }
  const how = `To allow others, use a schema such as ${JSON.stringify(schema)}`
  return { ...problem, message: `${problem.message} (inferred from ${inferredFrom}). ${how}` }
}

function findLongTexts({ maxBytes = {} }: Resource, document: Document): FieldProblem[] {
  return Object.entries(maxBytes).flatMap(([field, limit]) => {
    const value = findValue(document, field)
    const isLong = typeof value === 'string' && Buffer.byteLength(value) > limit
    return isLong ? [{ field, message: `must be at most ${formatNumber(limit)} bytes long` }] : []
  })
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
