import { jsonPatchSchema } from '../../http/body/patch.ts'
import { toComponent } from '../../http/openapi/component.ts'
import { jsonContent, objectSchema, pageContent, text } from '../../http/openapi/content.ts'
import type { Content, Parameter } from '../../http/openapi/operation.ts'
import { idSchema } from '../../stores/records/records.ts'
import type { Field, FieldSchema, Resource } from '../definition.ts'

export type ResourceSchemas = ReturnType<typeof toSchemas>

export function toSchemas(resource: Resource) {
  const { schema, key, editable, readable, visible, fixed } = resource
  const unknown = { additionalProperties: resource.allowsUnknown || undefined }
  const name = key.charAt(0).toUpperCase() + key.slice(1)
  const own = visible.filter((field) => !readable.includes(field))
  const exampleId = resource.hasNumericIds ? 1 : exampleUuid
  const toOwnExample = (field: Field) => (resource.times.includes(field) ? exampleTime : exampleId)
  const ownExamples = new Map(own.map((field) => [field, toOwnExample(field)]))
  const required = readable.filter(({ isRequired }) => isRequired).map((field) => field.name)
  const record = {
    type: 'object',
    required: [...own.map((field) => field.name), ...required],
    properties: mapByName([...own, ...readable], ({ name, schema }) => ({
      ...schema,
      ...(fixed.includes(name) && { readOnly: true }),
    })),
    ...unknown,
  }
  const input = {
    ...schema,
    required: schema.required.filter((name) => editable.some((field) => field.name === name)),
    properties: mapByName(editable, toInputSchema),
    ...unknown,
  }
  return {
    record: toComponent('schemas', name, record),
    part: toComponent('schemas', `${name}Part`, { ...record, ...withoutRequired(record) }),
    input: toComponent('schemas', `${name}Input`, input),
    /** The body of PUT: an absent password does not change, but a new record requires one. */
    replacement: toComponent('schemas', `${name}Replacement`, { ...input, required }),
    changes: toComponent('schemas', `${name}Changes`, {
      description: 'The fields to change. null removes a field that is not required.',
      type: 'object',
      properties: input.properties,
      ...unknown,
    }),
    inputExample: mapByName(editable, toExample),
    recordExample: mapByName(visible, (field) => ownExamples.get(field) ?? toExample(field)),
    exampleId: String(exampleId),
    idParameters: resource.isSingular ? [] : [toIdParameter(resource, exampleId)],
  }
}

/** A field with a default is required in the types of openapi-typescript. */
function withoutRequired({ properties }: { properties: Readonly<Record<string, FieldSchema>> }) {
  const entries = Object.entries(properties)
  const optional = entries.map(([name, schema]) => [name, { ...schema, default: undefined }])
  return { required: undefined, properties: Object.fromEntries(optional) as object }
}

function mapByName<Value>(fields: readonly Field[], toValue: (field: Field) => Value) {
  return Object.fromEntries(fields.map((field) => [field.name, toValue(field)]))
}

function toInputSchema({ schema, isRequired }: Field): object {
  const storable = schema.type === 'string' ? { ...schema, pattern: '^[^\\u0000]*$' } : schema
  return isRequired ? storable : { anyOf: [storable, { type: 'null' }] }
}

export const toExample = ({ schema }: Field): unknown => schema.examples?.[0]

const exampleUuid = '01a1fd31-7d3a-7638-817f-35783eb23000'
const exampleTime = '2026-11-21T08:20:41.403Z'

function toIdParameter({ storesId }: Resource, example: unknown): Parameter {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of the record, assigned by the service or chosen by a client.',
    schema: storesId ? { type: 'string', minLength: 1, maxLength: 200 } : idSchema,
    example: String(example),
  }
}

export function recordContent({ record, recordExample }: ResourceSchemas): Content {
  return { ...pageContent, ...jsonContent(record, recordExample) }
}

export const envelope = toComponent(
  'schemas',
  'Envelope',
  objectSchema({
    data: { type: 'object', properties: { redirect: text } },
    status: objectSchema({ code: { const: 0 }, msg: text }),
  }),
)

export const jsonPatch = toComponent('schemas', 'JsonPatch', jsonPatchSchema)
