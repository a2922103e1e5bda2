import type { FastifyRequest } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import { formatNumber } from '../../config/format-count.ts'
import { isObject } from '../../config/is-object.ts'
import { maxDocumentCheckMs } from '../../config/limits.ts'
import { applyJsonPatch, type PatchLimits } from '../../http/body/apply-json-patch.ts'
import { hasBody, isFieldsType, isForm, toMediaType } from '../../http/body/body-reader.ts'
import { applyMergePatch, parseJsonPatch } from '../../http/body/patch.ts'
import { toFieldProblems } from '../../http/body/schema-problems.ts'
import {
  badRequest,
  HttpError,
  notAnObject,
  unprocessable,
  unsupportedMediaType,
} from '../../http/errors/http-error.ts'
import type { FieldProblem } from '../../http/errors/http-error.ts'
import { runWithin } from '../../http/run-within.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import { acceptedPatchTypes, acceptedTypes, jsonPatchType, mergePatchType } from '../definition.ts'
import { isSlow, jsonTypes, toTypes } from '../../http/openapi/json-schema.ts'
import type { Field, Resource } from '../definition.ts'
import { findValue, formToValue, toFormText, valueToInputText } from '../field-values.ts'
import { toRepresentation } from '../record/representations.ts'

export interface Input {
  fields: Document
  ignored: readonly string[]
  problems: readonly FieldProblem[]
}

export const hasFields = ({ fields }: Input) => Object.keys(fields).length > 0

export function parseInput({ resource, config }: ResourceContext, request: FastifyRequest): Input {
  const { headers, raw, method } = request
  const type = toMediaType(headers['content-type'])
  const isPatch = type === mergePatchType || type === jsonPatchType
  if (hasBody(raw) && (!isFieldsType(type) || isPatch)) throw toUnsupportedInput(resource, method)
  const body = decodeNames(resource, findBody(resource, request))
  if (!isObject(body)) throw notAnObject(resource.oneRecord)
  assertStorable(body)
  const unknown = findUnknownFields(resource, body)
  const lost = findLost(request)
  const named = resource.editable.filter(({ name }) => Object.hasOwn(body, name))
  if (isForm(request)) {
    if (looksLikeJson(body)) throw toUnsupportedInput(resource, method, jsonAsForm)
    // A form does not show the password: left empty on an edit, it stays.
    const isKept = ({ kind, name }: Field) =>
      kind === 'password' && body[name] === '' && method !== 'POST'
    const sent = named.filter((field) => !isKept(field))
    return { ...parseForm(sent, body, config), ignored: [...lost, ...unknown] }
  }
  const fields = named.map(({ name, acceptsNull, isRequired, rule }): [string, unknown] => {
    const value = body[name]
    if (value !== null || acceptsNull) return [name, value]
    const isRemoved = method === 'PATCH' || isRequired
    return [name, isRemoved ? undefined : (rule.default ?? null)]
  })
  if (!resource.allowsUnknown)
    return { fields: Object.fromEntries(fields), ignored: [...lost, ...unknown], problems: [] }
  const others = unknown.map((name): [string, unknown] => [name, body[name]])
  return { fields: Object.fromEntries([...fields, ...others]), ignored: lost, problems: [] }
}

/** No handler sees `_method`, also if its value overrides nothing. */
const findLost = ({ raw }: FastifyRequest) => (raw.unknownMethod === undefined ? [] : ['_method'])

function findBody({ isValue }: Resource, request: FastifyRequest): unknown {
  const { body } = request
  if (!isValue) return body === undefined ? {} : body
  if (!isForm(request)) {
    if (body === undefined) throw badRequest('The body must be a JSON value.')
    return { value: body }
  }
  if (isObject(body) && Object.hasOwn(body, 'value')) return body
  const message = 'is required in a form; as JSON, the body is the value itself'
  throw unprocessable([{ field: 'value', message }])
}

function parseForm(fields: readonly Field[], body: Document, limits: PatchLimits) {
  const problems: FieldProblem[] = []
  const entries = fields.map((field): [string, unknown] => {
    const sent = body[field.name]
    try {
      return [field.name, formToValue(field, sent, limits)]
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      const isList = toTypes(field.schema).every((type) => type === 'array' || type === 'null')
      const message = isList ? 'must be a list as JSON, such as ["one"]' : 'must be JSON'
      if (field.kind === 'json') problems.push({ field: field.name, message })
      return [field.name, sent]
    }
  })
  return { fields: Object.fromEntries(entries), problems }
}

function decodeNames({ editable: fields }: Resource, body: unknown): unknown {
  if (!isObject(body) || fields.every(({ name, inputName }) => name === inputName)) return body
  const names = new Map(fields.map(({ name, inputName }) => [inputName, name]))
  const entries = Object.entries(body)
  return Object.fromEntries(entries.map(([name, value]) => [names.get(name) ?? name, value]))
}

/** A client can PUT the body of a GET, so its id and times are ignored. */
export function findUnknownFields({ fields, fixed }: Resource, body: object): readonly string[] {
  const known = new Set([...fields.map(({ name }) => name), ...fixed])
  return Object.keys(body).filter((name) => !known.has(name))
}

export function toDefaults({ fields }: Resource): Document {
  const given = fields.filter(({ schema }) => schema.default !== undefined)
  return Object.fromEntries(given.map(({ name, schema }) => [name, schema.default]))
}

type ApplyPatch = (target: unknown) => unknown

export function parsePatch(context: ResourceContext, request: FastifyRequest) {
  const { resource, config } = context
  const toPatch = (apply: ApplyPatch) => (record: StoredRecord) => {
    const input = applyToRecord(resource, record, apply)
    return { ...input, ignored: [...findLost(request), ...input.ignored] }
  }
  const { body, headers } = request
  const type = hasBody(request.raw) ? toMediaType(headers['content-type']) : ''
  if (type === jsonPatchType) {
    const operations = parseJsonPatch(body)
    assertStorable(body)
    return toPatch((target) => applyJsonPatch(target, operations, config))
  }
  if (type === mergePatchType) {
    const patch = decodeNames(resource, body)
    assertStorable(body)
    return toPatch((target) => applyMergePatch(target, patch))
  }
  const input = parseInput(context, request)
  return ({ document }: StoredRecord) =>
    isForm(request)
      ? withoutUnchanged(resource, { ...document, ...findShown(context, request) }, input)
      : input
}

/** The values that an edit form showed. It sends them, since another request may have changed the record. */
function findShown({ resource, config }: ResourceContext, { raw }: FastifyRequest): Document {
  const previous = decodeNames(resource, raw.parsedBody?.previous)
  if (!isObject(previous)) return {}
  const named = resource.editable.filter(({ name }) => Object.hasOwn(previous, name))
  return parseForm(named, previous, config).fields
}

/** A form has the text of every field, which does not show whether it is absent, or its time zone. */
function withoutUnchanged({ fields }: Resource, shown: Document, input: Input): Input {
  const toText = (field: Field, values: Document) =>
    valueToInputText(field, findValue(values, field.name)).replaceAll('\r\n', '\n')
  const isUnchanged = (field: Field) =>
    field.kind !== 'password' && toText(field, input.fields) === toFormText(toText(field, shown))
  const unchanged = fields.filter(isUnchanged).map(({ name }) => name)
  const changed = Object.entries(input.fields).filter(([name]) => !unchanged.includes(name))
  return { ...input, fields: Object.fromEntries(changed) }
}

/** Clients such as curl send a body as a form if they are not told otherwise. */
const jsonAsForm = 'The body looks like JSON, but its Content-Type is that of a form. '

const looksLikeJson = (form: Document) => /^\s*[[{]/.test(Object.keys(form)[0] ?? '')

function toUnsupportedInput({ oneRecord }: Resource, method: string, reason = '') {
  const types = method === 'PATCH' ? acceptedPatchTypes : acceptedTypes
  // RFC 9110 §15.5.16: Accept for every other method.
  const header =
    method === 'POST' || method === 'PATCH' ? `accept-${method.toLowerCase()}` : 'accept'
  return unsupportedMediaType(`${reason}Send ${oneRecord} as ${types.join(' or ')}.`, {
    [header]: types.join(', '),
  })
}

function applyToRecord(resource: Resource, record: StoredRecord, apply: ApplyPatch): Input {
  // A password can be set, but not read or tested.
  const hidden = resource.passwords.map(({ name }): [string, null] => [name, null])
  const shown = { ...toRepresentation(resource, record), ...Object.fromEntries(hidden) }
  const result = apply(shown)
  if (!isObject(result)) throw notAnObject(resource.oneRecord)
  const isChanged = (name: string) =>
    !isDeepStrictEqual(findValue(shown, name), findValue(result, name))
  const { allowsUnknown, editable, fixed } = resource
  const others = allowsUnknown ? findUnknownFields(resource, { ...record.document, ...result }) : []
  const changed = [...editable.map(({ name }) => name), ...others].filter(isChanged)
  return {
    fields: Object.fromEntries(changed.map((name) => [name, findValue(result, name)])),
    ignored: allowsUnknown ? [] : findUnknownFields(resource, result),
    problems: fixed.filter(isChanged).map((field) => ({ field, message: 'cannot be changed' })),
  }
}

/** The document with the changes of the input. Throws 422 with every problem of the result. */
export function mergeInput(
  resource: Resource,
  document: Document,
  { fields, ignored, problems, isStrict }: Input & { isStrict: boolean },
): Document {
  const entries = Object.entries({ ...document, ...fields })
  const merged = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  const unknown = isStrict ? ignored : []
  const all = [
    ...problems,
    ...unknown.map((field) => ({ field, message: 'is an unknown field' })),
    ...findProblems(resource, merged).filter(({ field }) =>
      problems.every((known) => known.field !== field),
    ),
  ]
  if (all.length > 0) throw unprocessable(all)
  return merged
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
