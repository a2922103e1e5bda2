import { toComponent } from '../../http/openapi/component.ts'
import { jsonContent, objectSchema, pageContent } from '../../http/openapi/content.ts'
import type { Content, Parameter, Schema } from '../../http/openapi/operation.ts'
import { jsonPatchSchema } from '../../http/body/patch.ts'
import { idPattern } from '../context.ts'
import type { Resource } from '../definition.ts'

/** A resource with its schemas and examples. */
export interface ResourceDocs {
  resource: Resource
  schemas: ResourceSchemas
}

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time', readOnly: true } as const

/** The schemas and examples of a resource, from the schema that validates it. */
export function toSchemas(resource: Resource) {
  const { schema, singular } = resource
  const name = singular.charAt(0).toUpperCase() + singular.slice(1)
  const record = toRecordSchema(resource)
  const storable = mapValues<object, object>(schema.properties, toStorable)
  const input = { ...schema, properties: orNull(storable, schema.required) }
  return {
    record: toComponent('schemas', name, record),
    /** A record that `fields` may have reduced. */
    part: toComponent('schemas', `${name}Part`, { ...record, required: undefined }),
    input: toComponent('schemas', `${name}Input`, input),
    /** The body of PUT: an absent password does not change, but a new record requires one. */
    replacement: toComponent('schemas', `${name}Replacement`, {
      ...input,
      required: schema.required.filter((field) => !isPassword(resource, field)),
    }),
    changes: toComponent('schemas', `${name}Changes`, {
      description: 'The fields to change. null removes a field that is not required.',
      type: 'object',
      properties: input.properties,
    }),
    ...toExamples(resource),
  }
}

function toRecordSchema({ schema, fields }: Resource) {
  const shown = fields.filter(({ kind }) => kind !== 'password')
  const own = { _id: { ...text, readOnly: true }, createdAt: time, updatedAt: time }
  return {
    type: 'object',
    required: ['_id', ...shown.filter((field) => field.isRequired).map(toName), ...times],
    properties: { ...own, ...pick(schema.properties, shown.map(toName)) },
  }
}

function toExamples({ schema, fields }: Resource) {
  const shown = fields.filter(({ kind }) => kind !== 'password')
  const inputExample = mapValues<object, unknown>(schema.properties, toExample)
  return {
    inputExample,
    recordExample: {
      _id: exampleId,
      ...pick(inputExample, shown.map(toName)),
      createdAt: exampleTime,
      updatedAt: exampleTime,
    },
  }
}

export type ResourceSchemas = ReturnType<typeof toSchemas>

export const exampleId = '01a1fd31-7d3a-7638-817f-35783eb23000'
export const id: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the record, assigned by the service or chosen by a client.',
  schema: { type: 'string', pattern: `^${idPattern}$` },
  example: exampleId,
}

/** A record as a page and as JSON. */
export function recordContent({ record, recordExample }: ResourceSchemas): Content {
  return { ...pageContent, ...jsonContent(record, recordExample) }
}

const exampleTime = '2026-11-21T08:20:41.403Z'
const times = ['createdAt', 'updatedAt'] as const

/** The JSON body after an update and a deletion. */
export const envelope = toComponent(
  'schemas',
  'Envelope',
  objectSchema({
    data: { type: 'object', properties: { redirect: text } },
    status: objectSchema({ code: { const: 0 }, msg: text }),
  }),
)

/** RFC 6902. */
export const jsonPatch = toComponent('schemas', 'JsonPatch', jsonPatchSchema)

export function exampleOf({ schema }: Resource, field: string): unknown {
  return toExample(schema.properties[field])
}

function toExample(field: object | undefined): unknown {
  const { examples }: { examples?: unknown } = { ...field }
  return Array.isArray(examples) ? examples[0] : undefined
}

function toName({ name }: { name: string }): string {
  return name
}

/** A string that every database can store. */
function toStorable(field: object): object {
  const isText = 'type' in field && field.type === 'string'
  return isText ? { ...field, pattern: '^[^\\u0000]*$' } : field
}

function isPassword({ fields }: Resource, name: string): boolean {
  return fields.some((field) => field.name === name && field.kind === 'password')
}

function orNull(fields: Readonly<Record<string, object>>, required: readonly string[]) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, Schema] => {
      return [name, required.includes(name) ? { ...field } : { anyOf: [field, { type: 'null' }] }]
    }),
  )
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

function pick<Value>(record: Readonly<Record<string, Value>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))
}
