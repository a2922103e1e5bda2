import type { FastifyRequest } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../config/is-object.ts'
import { applyJsonPatch } from '../../http/body/apply-json-patch.ts'
import { hasBody, isForm, toMediaType } from '../../http/body/body-reader.ts'
import { applyMergePatch, parseJsonPatch } from '../../http/body/patch.ts'
import { notAnObject } from '../../http/errors/http-error.ts'
import type { Document, StoredRecord } from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import { jsonPatchType, mergeType, type Field, type Resource } from '../definition.ts'
import { findValue, toFormText, valueToInputText } from '../field-values.ts'
import { toRepresentation } from '../record/representations.ts'
import { assertStorable, findUnknownFields } from './find-problems.ts'
import { decodeNames, findLost, parseForm, parseInput, type Input } from './input.ts'

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
  if (type === mergeType) {
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
export function findShown(
  { resource, config }: ResourceContext,
  { raw }: FastifyRequest,
): Document {
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
