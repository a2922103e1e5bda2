import { assertLength, parseFilters } from '../../lists/filters.ts'
import { badParameter, type ParameterTexts } from '../../lists/parameters.ts'
import { parsePart, partNames } from '../../lists/part.ts'
import { parseSort, toItems } from '../../lists/sort.ts'
import type { RecordQuery } from '../../stores/records/records.ts'
import { type Resource } from '../definition.ts'
import { resolveAliases } from './list-aliases.ts'
import { parseCursor } from './list-cursor.ts'
import { resourceToListFields } from './list-fields.ts'

export type ListQuery = ReturnType<typeof parseListQuery>

export function parseListQuery(resource: Resource, given: ParameterTexts) {
  const parameters = resolveAliases(given, resource)
  const { sort = [], q = [], fields, ...rest } = Object.fromEntries(parameters)
  const page = parsePart(rest)
  const text = assertLength('q', q.at(-1) ?? '')
  const known = resourceToListFields(resource)
  const own = Object.entries(rest).filter(([name]) => !partNames.includes(name))
  const filters = parseFilters(known, new Map(own), text)
  const searched = [...resource.visible.slice(0, 1), ...resource.readable].map(({ path }) => path)
  const records: RecordQuery = {
    filters: filters.map(({ filter }) => filter),
    ...(text !== '' && { search: { text, fields: searched } }),
    sort: parseSort(known, sort),
  }
  const after = rest.after && parseCursor(resource, records, rest.after)
  const part = page && { ...page, after }
  return { records, parameters, filters, part, fields: fields && parseFields(resource, fields) }
}

export function parseFields(resource: Resource, values: readonly string[]): string[] {
  const { names } = resourceToListFields(resource)
  const fields = toItems(values, (value) => names.includes(value))
  const unknown = fields.find((field) => !names.includes(field))
  if (unknown === undefined) return names.filter((field) => fields.includes(field))
  throw badParameter('fields', `has the unknown field ${unknown}. Fields: ${names.join(', ')}`)
}
