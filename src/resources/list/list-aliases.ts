import { badParameter, type ParameterTexts } from '../../lists/parameters.ts'
import { type Resource } from '../definition.ts'
import { findListField } from './list-fields.ts'

const aliases = new Map([
  ['_page', 'page'],
  ['_per_page', 'per_page'],
  ['_limit', 'per_page'],
  ['_sort', 'sort'],
])

const suffix = /^(.+)_(gte|gt|lte|lt|ne|eq|in|contains|like)$/

export function resolveAliases(parameters: ParameterTexts, resource: Resource): ParameterTexts {
  const resolved = new Map<string, readonly string[]>()
  for (const [name, values] of parameters) {
    const isField = findListField(resource, name)?.isDeclared === true
    if (name === '_order' && !isField) {
      resolveOrder([], values)
      continue
    }
    const ownName = isField ? name : resolveAlias(resource, name, values)
    if (resolved.has(ownName)) throw badParameter(name, `is the same parameter as ${ownName}`)
    const isSort = name === '_sort' && !isField
    resolved.set(ownName, isSort ? resolveOrder(values, parameters.get('_order')) : values)
  }
  if (parameters.has('_page') && !resolved.has('per_page')) resolved.set('per_page', ['10'])
  return resolved
}

function resolveAlias(resource: Resource, name: string, values: readonly string[]): string {
  const [, field = '', operator = ''] = suffix.exec(name) ?? []
  const found = findListField(resource, field)
  if (found) {
    // Read as plain text, a regular expression would find other records than in json-server.
    const isList = found.types.every((type) => ['array', 'null'].includes(type))
    if (operator === 'like' && (isList || /[\\^$.*+?()[\]{}|]/.test(values.join()))) {
      const hint = `Use ${field}:contains, or start the service with --json-server 0.17`
      const reason = isList ? 'matches the text of the list' : 'is a regular expression'
      throw badParameter(name, `${reason} in json-server. ${hint}`)
    }
    return `${field}:${operator === 'like' ? 'contains' : operator}`
  }
  return aliases.get(name) ?? name
}

function resolveOrder(sort: readonly string[], order: readonly string[] = []): string[] {
  const directions = order.join().toLowerCase().split(',')
  if (!directions.every((direction) => /^(asc|desc)?$/.test(direction)))
    throw badParameter('_order', 'must be asc or desc')
  return sort
    .join()
    .split(',')
    .map((term, index) => (directions[index] === 'desc' ? term.replace(/^-?/, '-') : term))
}
