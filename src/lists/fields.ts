import type { FieldPath } from '../stores/records/records.ts'

export interface ListField {
  path: FieldPath
  label: string
  /** Names of JSON Schema. */
  types: readonly string[]
  /** Those of the elements of a list. */
  elementTypes: readonly string[]
  /** A part of a time, such as a day, stands for its first millisecond. */
  isTime: boolean
}

/** What the parameters of a list can name. */
export interface ListFields {
  find: (name: string) => ListField | undefined
  /** For errors. */
  names: readonly string[]
  /** The parameters that are no filters, for errors. */
  others: readonly string[]
}

/** Whether some values are neither lists nor objects. */
export function areScalars(types: readonly string[]): boolean {
  return types.some((type) => !['array', 'object', 'null'].includes(type))
}

export function isNumeric(types: readonly string[]): boolean {
  return types.includes('number') || types.includes('integer')
}
