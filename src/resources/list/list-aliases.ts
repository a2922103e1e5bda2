import { BadParameter, type ParameterTexts } from './list-parameters.ts'

const renamed = new Map([
  ['_page', 'page'],
  ['_per_page', 'per_page'],
  ['_limit', 'per_page'],
  ['_sort', 'sort'],
])

const suffix = /^(.+)_(gte|gt|lte|lt|ne|eq|in|contains|like)$/

/**
 * Turns the spellings of json-server, of 0.17 and of 1.0 alike, into ours. `_like`, a regular
 * expression there, is `contains`. `_start` and `_end` have no other spelling here.
 */
export function toOwnSpelling(
  parameters: ParameterTexts,
  fields: readonly string[],
): ParameterTexts {
  const own = new Map<string, readonly string[]>()
  for (const [name, values] of parameters) {
    if (name === '_order') continue
    const ownName = fields.includes(name) ? name : toOwnName(name, fields)
    if (own.has(ownName)) throw new BadParameter(name, 'says again what another parameter says')
    own.set(ownName, name === '_sort' ? toOwnSort(values, parameters.get('_order')) : values)
  }
  // The page of json-server has ten.
  if (parameters.has('_page') && !own.has('per_page')) own.set('per_page', ['10'])
  return own
}

function toOwnName(name: string, fields: readonly string[]): string {
  const [, field = '', operator = ''] = suffix.exec(name) ?? []
  if (fields.includes(field)) return `${field}:${operator === 'like' ? 'contains' : operator}`
  return renamed.get(name) ?? name
}

/** `_sort=name,views&_order=desc,asc` */
function toOwnSort(sort: readonly string[], order: readonly string[] = []): string[] {
  const directions = toItems(order).map((direction) => direction.toLowerCase())
  if (!directions.every((direction) => /^(asc|desc)?$/.test(direction))) {
    throw new BadParameter('_order', 'must be asc or desc')
  }
  return toItems(sort).map((term, index) =>
    directions[index] === 'desc' && !term.startsWith('-') ? `-${term}` : term,
  )
}

/** The items of a list that is separated by commas, or said in several parameters. */
export function toItems(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(','))
}
