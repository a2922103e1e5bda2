import type { FastifyRequest } from 'fastify'
import { isObject } from '../../config/is-object.ts'
import type { PatchLimits } from '../../http/body/apply-json-patch.ts'
import { hasBody, isFieldsType, isForm, toMediaType } from '../../http/body/body-reader.ts'
import {
  badRequest,
  HttpError,
  notAnObject,
  unprocessable,
  unsupportedMediaType,
} from '../../http/errors/http-error.ts'
import type { FieldProblem } from '../../http/errors/http-error.ts'
import type { Document } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import { patchTypes, acceptedTypes, jsonPatchType, mergeType } from '../definition.ts'
import { toTypes } from '../../http/openapi/json-schema.ts'
import type { Field, Resource } from '../definition.ts'
import { formToValue } from '../field-values.ts'
import { assertStorable, findProblems, findUnknownFields } from './find-problems.ts'

export interface Input {
  fields: Document
  ignored: readonly string[]
  problems: readonly FieldProblem[]
}

export const hasFields = ({ fields }: Input) => Object.keys(fields).length > 0

export function parseInput({ resource, config }: ResourceContext, request: FastifyRequest): Input {
  const { headers, raw, method } = request
  const type = toMediaType(headers['content-type'])
  const isPatch = type === mergeType || type === jsonPatchType
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
export const findLost = ({ raw }: FastifyRequest) =>
  raw.unknownMethod === undefined ? [] : ['_method']

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

export function parseForm(fields: readonly Field[], body: Document, limits: PatchLimits) {
  const problems: FieldProblem[] = []
  const entries = fields.map((field): [string, unknown] => {
    const sent = body[field.name]
    try {
      return [field.name, formToValue(field, sent, limits)]
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      const { kind, schema } = field
      const isList = toTypes(schema).every((type) => type === 'array' || type === 'null')
      const lines = kind === 'texts' ? 'have one item per line, or be ' : 'be '
      const message = `must ${lines}${isList ? 'a list as JSON, such as ["one"]' : 'JSON'}`
      if (kind === 'json' || kind === 'texts') problems.push({ field: field.name, message })
      return [field.name, sent]
    }
  })
  return { fields: Object.fromEntries(entries), problems }
}

export function decodeNames({ editable: fields }: Resource, body: unknown): unknown {
  if (!isObject(body) || fields.every(({ name, inputName }) => name === inputName)) return body
  const names = new Map(fields.map(({ name, inputName }) => [inputName, name]))
  const entries = Object.entries(body)
  return Object.fromEntries(entries.map(([name, value]) => [names.get(name) ?? name, value]))
}

export function toDefaults({ fields }: Resource): Document {
  const given = fields.filter(({ schema }) => schema.default !== undefined)
  return Object.fromEntries(given.map(({ name, schema }) => [name, schema.default]))
}

/** Clients such as curl send a body as a form if they are not told otherwise. */
const jsonAsForm = 'The body looks like JSON, but its Content-Type is that of a form. '

const looksLikeJson = (form: Document) => /^\s*[[{]/.test(Object.keys(form)[0] ?? '')

function toUnsupportedInput({ oneRecord }: Resource, method: string, reason = '') {
  const types = method === 'PATCH' ? patchTypes : acceptedTypes
  // RFC 9110 §15.5.16: Accept for every other method.
  const header =
    method === 'POST' || method === 'PATCH' ? `accept-${method.toLowerCase()}` : 'accept'
  return unsupportedMediaType(`${reason}Send ${oneRecord} as ${types.join(' or ')}.`, {
    [header]: types.join(', '),
  })
}

/** The document with the changes of the input. Throws 422 with every problem of the result. */
export function mergeInput(
  resource: Resource,
  document: Document,
  { isStrict, ...input }: Input & { isStrict: boolean },
): Document {
  const merged = applyInput(document, input)
  const unknown = isStrict ? input.ignored : []
  const all = [
    ...unknown.map((field) => ({ field, message: 'is an unknown field' })),
    ...findMergeProblems(resource, document, input),
  ]
  if (all.length > 0) throw unprocessable(all)
  return merged
}

function applyInput(document: Document, { fields }: Pick<Input, 'fields'>): Document {
  const entries = Object.entries({ ...document, ...fields })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

export function findMergeProblems(
  resource: Resource,
  document: Document,
  { fields, problems }: Pick<Input, 'fields' | 'problems'>,
): readonly FieldProblem[] {
  const others = findProblems(resource, applyInput(document, { fields }))
  const isNew = ({ field }: FieldProblem) => problems.every((known) => known.field !== field)
  return [...problems, ...others.filter(isNew)]
}
