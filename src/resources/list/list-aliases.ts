import type { Resource } from '../definition.ts'
import { findListField } from './list-fields.ts'
import { BadParameter, type ParameterTexts } from './list-parameters.ts'

const aliases = new Map([
  ['_page', 'page'],
  ['_per_page', 'per_page'],
  ['_limit', 'per_page'],
  ['_sort', 'sort'],
])

const suffix = /^(.+)_(gte|gt|lte|lt|ne|eq|in|contains|like)$/

/**
 * Translates the parameters of json-server 0.17 and 1.0. `_like`, a regular expression there, becomes
 * `contains`; `_start` and `_end` stay.
 */
export function resolveAliases(parameters: ParameterTexts, resource: Resource): ParameterTexts {
  const resolved = new Map<string, readonly string[]>()
  for (const [name, values] of parameters) {
    const isField = findListField(resource, name)?.isDeclared === true
    if (name === '_order' && !isField) continue
    const ownName = isField ? name : resolveAlias(name, resource)
    if (resolved.has(ownName)) throw new BadParameter(name, `is the same parameter as ${ownName}`)
    resolved.set(
      ownName,
      name === '_sort' && !isField ? resolveOrder(values, parameters.get('_order')) : values,
    )
  }
  // The default page size of json-server.
  if (parameters.has('_page') && !resolved.has('per_page')) resolved.set('per_page', ['10'])
  return resolved
}

function resolveAlias(name: string, resource: Resource): string {
  const [, field = '', operator = ''] = suffix.exec(name) ?? []
  if (findListField(resource, field)) {
    return `${field}:${operator === 'like' ? 'contains' : operator}`
  }
  return aliases.get(name) ?? name
}

/** `_sort=name,views&_order=desc,asc` */
function resolveOrder(sort: readonly string[], order: readonly string[] = []): string[] {
  const directions = toItems(order).map((direction) => direction.toLowerCase())
  if (!directions.every((direction) => /^(asc|desc)?$/.test(direction))) {
    throw new BadParameter('_order', 'must be asc or desc')
  }
  return toItems(sort).map((term, index) =>
    directions[index] === 'desc' && !term.startsWith('-') ? `-${term}` : term,
  )
}

/** The items of comma-separated lists; a value that `isItem` accepts is one item. */
export function toItems(
  values: readonly string[],
  isItem: (value: string) => boolean = () => false,
): string[] {
  return values.flatMap((value) => (isItem(value) ? [value] : value.split(',')))
}
