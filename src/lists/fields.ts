import { hasScalarType, type FieldSchemas } from '../http/openapi/json-schema.ts'
import type { FieldPath } from '../stores/records/records.ts'

export interface ListField {
  path: FieldPath
  label: string
  /** The names of types are those of JSON Schema. */
  types: readonly string[]
  elementTypes: readonly string[]
  /** A part of a time, such as a day, stands for its first millisecond. */
  isTime: boolean
  /** Its values are dates or times, of which one is before another. */
  isDate?: boolean
}

export interface ListFields {
  find: (name: string) => ListField | undefined
  names: readonly string[]
  others: readonly string[]
}

export function isNumeric(types: readonly string[]): boolean {
  return types.includes('number') || types.includes('integer')
}

export function propertiesToListFields(
  properties: FieldSchemas,
  others: readonly string[],
): ListFields {
  const fields = new Map(findMembers(properties).map((field) => [field.label, field]))
  return {
    find: (name) => fields.get(name),
    names: [...fields.keys()],
    others: others.filter((name) => !fields.has(name)),
  }
}

function findMembers(properties: FieldSchemas, parents: readonly string[] = []): ListField[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { type = [], format, properties: inside } = schema
    const path = [...parents, name]
    if (inside) return findMembers(inside, path)
    const types = [type].flat()
    const isTime = format === 'date-time'
    return hasScalarType(types)
      ? [{ path, label: path.join('.'), types, elementTypes: [], isTime }]
      : []
  })
}
