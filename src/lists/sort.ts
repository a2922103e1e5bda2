import { maxSortTerms } from '../config/limits.ts'
import type { ListFields } from './fields.ts'
import { badParameter } from './parameters.ts'

export function parseSort({ find, names }: ListFields, sort: readonly string[]) {
  if (sort.join('') === '') return []
  const terms = toItems(sort, (value) => find(value.replace(/^-/, '')) !== undefined)
  if (terms.length > maxSortTerms) {
    throw badParameter('sort', `must have at most ${String(maxSortTerms)} fields`)
  }
  return terms.map((term) => {
    const exact = find(term)
    const name = term.replace(/^-/, '')
    const found = exact ?? find(name)
    if (found) return { field: found.path, isDescending: exact === undefined }
    throw badParameter('sort', `has the unknown field ${name}. Fields: ${names.join(', ')}`)
  })
}

export function toItems(values: readonly string[], isItem: (value: string) => boolean): string[] {
  return values.flatMap((value) => (isItem(value) ? [value] : value.split(',')))
}
