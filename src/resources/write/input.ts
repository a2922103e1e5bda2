import type { FastifyRequest } from 'fastify'
import type { PatchLimits } from '../../http/body/apply-json-patch.ts'
import { hasBody, isFieldsType, isForm, toMediaType } from '../../http/body/body-reader.ts'
import { isObject } from '../../http/body/is-object.ts'
import {
  HttpError,
  notAnObject,
  unsupportedMediaType,
  type FieldProblem,
} from '../../http/errors/http-error.ts'
import type { Document } from '../../stores/records/records.ts'
import { ownFields, type Field, type Resource } from '../definition.ts'
import { formToValue } from '../field-values.ts'
import { assertStorable } from './problems.ts'

/** For Accept-Post. */
export const acceptedTypes = ['application/json', 'application/x-www-form-urlencoded'] as const
export const mergePatchType = 'application/merge-patch+json'
export const jsonPatchType = 'application/json-patch+json'
/** For Accept-Patch. */
export const acceptedPatchTypes = [...acceptedTypes, mergePatchType, jsonPatchType] as const

/** What a request asks a record to be. */
export interface Input {
  /** The fields that it names; undefined removes one. */
  fields: Document
  unknownFields: readonly string[]
  problems: readonly FieldProblem[]
}

export function parseInput(
  resource: Resource,
  request: FastifyRequest,
  limits: PatchLimits,
): Input {
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
    return { ...parseForm(sent, body, limits), unknownFields }
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

/** The body with the names of the fields in place of those that the body could not carry. */
export function decodeNames({ fields }: Resource, body: unknown): unknown {
  if (!isObject(body)) return body
  const names = new Map(fields.map(({ name, inputName }) => [inputName, name]))
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [names.get(name) ?? name, value]),
  )
}

/** What GET returned can be sent back with PUT: the own fields are known, and ignored. */
export function findUnknownFields({ fields }: Resource, body: object): readonly string[] {
  const known = [...fields.map(({ name }) => name), ...ownFields]
  return Object.keys(body).filter((name) => !known.includes(name))
}
