import { isDocument } from './records/records.ts'

export function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isDocument(value) && names.every((name) => typeof value[name] === 'string')
}
