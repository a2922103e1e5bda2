import { jsonPatchSchema } from '../../http/body/patch.ts'
import { toComponent, toComponentName } from '../../http/openapi/component.ts'
import { jsonContent, objectSchema, text } from '../../http/openapi/content.ts'
import type { Parameter } from '../../http/openapi/operation.ts'
import { idSchema } from '../../stores/records/records.ts'
import type { Field, Resource, ResourceDefinition } from '../definition.ts'
import { capitalize } from '../field-values.ts'
import { exampleTime, exampleUuid, toExample, toOther } from './create-example.ts'

export type ResourceSchemas = ReturnType<typeof toSchemas>

export function toSchemas(resource: Resource) {
  const { isSingular, isValue, schema } = resource
  const { record, ...components } = toComponents(resource)
  const exampleId = resource.hasNumericIds ? 1 : exampleUuid
  const examples = toExamples(resource, exampleId)
  const { recordExample } = examples
  return {
    record,
    ...components,
    ...examples,
    /** A value is itself in JSON; a form and a text name it. */
    json: isValue
      ? jsonContent(schema.properties.value ?? {}, recordExample.value)
      : jsonContent(record, recordExample),
    exampleId: String(exampleId),
    idParameters: isSingular ? [] : [toIdParameter(resource, exampleId)],
  }
}

const toNames = (fields: readonly Field[]) => fields.map((field) => field.name)

function toComponents(resource: Resource) {
  const { allowsUnknown, editable, readable, schema, visible } = resource
  const name = toSchemaName(resource)
  const required = toNames(readable.filter(({ isRequired }) => isRequired))
  const own = visible.filter((field) => !readable.includes(field))
  const { additionalProperties = true } = schema
  const unknown = { additionalProperties: allowsUnknown ? additionalProperties : undefined }
  const object = { type: 'object', ...unknown }
  const input = {
    ...schema,
    required: schema.required.filter((field) => toNames(editable).includes(field)),
    properties: mapByName(editable, (field) =>
      toInputFieldSchema(field, field.rule.default !== undefined && !field.acceptsNull),
    ),
    ...unknown,
  }
  return {
    record: toComponent('schemas', name, {
      ...object,
      required: [...toNames(own), ...required],
      properties: mapByName(visible, (field) => toRecordFieldSchema(resource, field)),
    }),
    part: toComponent('schemas', `${name}Part`, {
      ...object,
      // A field with a default is required in the types of openapi-typescript.
      properties: mapByName(visible, (field) => {
        return { ...toRecordFieldSchema(resource, field), default: undefined }
      }),
    }),
    input: toComponent('schemas', `${name}Input`, input),
    /** The body of PUT: an absent password does not change, but a new record requires one. */
    replacement: toComponent('schemas', `${name}Replacement`, { ...input, required }),
    changes: toComponent('schemas', `${name}Changes`, {
      ...object,
      description: 'The fields to change. null removes a field that is not required.',
      properties: mapByName(editable, (field) =>
        toInputFieldSchema(field, !field.isRequired && !field.acceptsNull),
      ),
    }),
  }
}

function toRecordFieldSchema({ isChecked, fixed }: Resource, { name, rule }: Field) {
  return {
    // A dialect of json-server stores any value.
    ...(isChecked ? rule : { title: rule.title, examples: rule.examples }),
    ...(fixed.includes(name) && { readOnly: true }),
  }
}

function toExamples({ editable, readable, times, unique, visible }: Resource, id: string | number) {
  const toOwnExample = (field: Field) => (times.includes(field) ? exampleTime : id)
  return {
    inputExample: mapByName(editable, (field) =>
      unique.includes(field.name) ? toOther(toExample(field)) : toExample(field),
    ),
    recordExample: mapByName(visible, (field) =>
      readable.includes(field) ? toExample(field) : toOwnExample(field),
    ),
  }
}

export const toSchemaName = ({ schemaName, key, singular }: ResourceDefinition) =>
  schemaName ?? capitalize(key ?? singular)

const otherSchemas = ['Envelope', 'JsonPatch', 'Problem', 'ResponseDescription', 'ResponseSequence']

export function nameSchemas(
  definitions: readonly ResourceDefinition[],
  others: readonly ResourceDefinition[],
): ResourceDefinition[] {
  const toNames = (name: string) =>
    ['', 'Part', 'Input', 'Replacement', 'Changes'].map((end) => toComponentName(name + end))
  const taken = new Set([...otherSchemas, ...others.map(toSchemaName).flatMap(toNames)])
  return definitions.map((definition) => {
    let schemaName = toSchemaName(definition)
    while (toNames(schemaName).some((name) => taken.has(name))) schemaName += '_'
    for (const name of toNames(schemaName)) taken.add(name)
    return { ...definition, schemaName }
  })
}

function mapByName<Value>(fields: readonly Field[], toValue: (field: Field) => Value) {
  return Object.fromEntries(fields.map((field) => [field.name, toValue(field)]))
}

function toInputFieldSchema({ rule }: Field, isCleared: boolean): object {
  const isText = [rule.type].flat().includes('string')
  const storable = isText ? { pattern: '^[^\\u0000]*$', ...rule } : rule
  return isCleared ? { anyOf: [storable, { type: 'null' }] } : storable
}

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

export const envelope = toComponent(
  'schemas',
  'Envelope',
  objectSchema({
    data: { type: 'object', properties: { redirect: text } },
    status: objectSchema({ code: { const: 0 }, msg: text }),
  }),
)

export const jsonPatch = toComponent('schemas', 'JsonPatch', jsonPatchSchema)
