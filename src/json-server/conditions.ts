import type { Document, FieldValue, Filter } from '../stores/records/records.ts'

export interface Conditions {
  /** What the database decides. They exclude no record that matches. */
  filters: readonly Filter[]
  /** Which documents match, by the rules of json-server. Undefined if all do. */
  test?: Test
  /** Whether the test can take too long, so that the list must not have begun. */
  mayFail?: boolean
}

export type Test = (
  documents: readonly Document[],
) => readonly boolean[] | Promise<readonly boolean[]>

/** Undefined for a path: the name of a field may have a dot as well. */
export function toEqualFilter(path: string, values: readonly FieldValue[]): Filter | undefined {
  if (/[.[\]\\]/.test(path) || path === '') return undefined
  return { field: [path], operator: 'eq', values }
}
