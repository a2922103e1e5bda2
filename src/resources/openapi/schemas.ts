import { jsonPatchSchema } from '../../http/body/patch.ts'
import { toComponent } from '../../http/openapi/component.ts'
import { jsonContent, objectSchema, pageContent, text } from '../../http/openapi/content.ts'
import type { Content, Parameter } from '../../http/openapi/operation.ts'
import { idSchema } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'

const readOnlyTime = { type: 'string', format: 'date-time', readOnly: true } as const

export type ResourceSchemas = ReturnType<typeof toSchemas>

export function toSchemas({ schema, singular, fields, readable }: Resource) {
  const name = singular.charAt(0).toUpperCase() + singular.slice(1)
  const required = readable.filter(({ isRequired }) => isRequired).map((field) => field.name)
  const record = {
    type: 'object',
    required: ['_id', ...required, 'createdAt', 'updatedAt'],
    properties: {
      _id: { ...text, readOnly: true },
      createdAt: readOnlyTime,
      updatedAt: readOnlyTime,
      ...mapByName(readable, (field) => field.schema),
    },
  }
  const input = { ...schema, properties: mapByName(fields, toInputSchema) }
  return {
    record: toComponent('schemas', name, record),
    part: toComponent('schemas', `${name}Part`, { ...record, required: undefined }),
    input: toComponent('schemas', `${name}Input`, input),
    /** The body of PUT: an absent password does not change, but a new record requires one. */
    replacement: toComponent('schemas', `${name}Replacement`, { ...input, required }),
    changes: toComponent('schemas', `${name}Changes`, {
      description: 'The fields to change. null removes a field that is not required.',
      type: 'object',
      properties: input.properties,
    }),
    inputExample: mapByName(fields, toExample),
    recordExample: {
      _id: exampleId,
      ...mapByName(readable, toExample),
      createdAt: exampleTime,
      updatedAt: exampleTime,
    },
  }
}

function mapByName<Value>(fields: readonly Field[], toValue: (field: Field) => Value) {
  return Object.fromEntries(fields.map((field) => [field.name, toValue(field)]))
}

function toInputSchema({ schema, isRequired }: Field): object {
  const storable = schema.type === 'string' ? { ...schema, pattern: '^[^\\u0000]*$' } : schema
  return isRequired ? storable : { anyOf: [storable, { type: 'null' }] }
}

export function toExample({ schema }: Field): unknown {
  return schema.examples?.[0]
}

const exampleId = '01a1fd31-7d3a-7638-817f-35783eb23000'
const exampleTime = '2026-11-21T08:20:41.403Z'

export const recordIdParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record, assigned by the service or chosen by a client.',
  schema: idSchema,
  example: exampleId,
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
