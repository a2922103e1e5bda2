import { isFieldValue } from '../../stores/records/records.ts'
import { queryParameter as query } from '../../http/openapi/content.ts'
import { requestHeaders } from '../../http/openapi/fields.ts'
import type { Parameter } from '../../http/openapi/operation.ts'
import type { ResourceContext } from '../context.ts'
import { type Field, type Resource } from '../definition.ts'
import { hasScalars, toTypes } from '../field-schema.ts'
import { maxPage, maxPerPage } from '../list/list-part.ts'
import { toExample } from './schemas.ts'

export function listParameters({ visible, readable }: Resource) {
  const names = visible.map(({ name }) => name)
  const field = { type: 'string', enum: names }
  const term = { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }
  const example = names.slice(0, 2).map((name, index) => (index === 0 ? `-${name}` : name))
  return [
    query('page', 'The page. Without `page` and `per_page` the whole list is sent.', page, 1),
    query('per_page', 'Records per page. Default: 20; blank without `page`: all.', perPage, 10),
    query('after', 'The cursor of a `next` link. `page` then only numbers the page.', cursor),
    separated('sort', 'The fields to sort by. A minus reverses the order.', term, example),
    query('q', 'Text that a field contains, ignoring case.', { type: 'string' }, 'a'),
    separated('fields', 'The fields to include in JSON, NDJSON and CSV.', field, names.slice(0, 2)),
    ...readable.flatMap(toFilters),
    ...requestHeaders('If-None-Match', 'Want-Repr-Digest'),
  ]
}

export function toEmbedParameters({ relations }: ResourceContext): Parameter[] {
  const names = relations.map(({ name }) => name)
  if (names.length === 0) return []
  const description = `The related records to include in JSON: ${names.join(', ')}. \`a.b\` embeds in the embedded ones, in at most three levels.`
  return [separated('embed', description, { type: 'string' }, names.slice(0, 1))]
}

const page = { type: 'integer', minimum: 1, maximum: maxPage }
const perPage = { ...page, maximum: maxPerPage }
const cursor = { type: 'string', minLength: 1, maxLength: 2048, pattern: '^[A-Za-z0-9_-]+$' }

export const listDescription = `\`<field>=\` and \`<field>:<operator>=\` filter by every field in the response, also by the id. The operators are \`eq\`, \`ne\`, \`lt\`, \`lte\`, \`gt\`, \`gte\`, \`in\`, \`contains\`, \`startsWith\` and \`endsWith\`. Repeated values of a filter are combined with OR. An unknown parameter gets 400. The parameters of json-server (\`_page\`, \`_limit\`, \`_sort\`, \`name_like\`) are supported too.
QUERY (RFC 10008) accepts the same parameters as a form or as JSON.`

function separated(name: string, description: string, items: object, example: readonly string[]) {
  const schema = { type: 'array', items, minItems: 1 }
  return { ...query(name, description, schema, example), style: 'form', explode: false } as const
}

function toFilters(field: Field): Parameter[] {
  const { name } = field
  const { items = {} } = field.schema
  if (!hasScalars(field.schema)) {
    const isFiltered = toTypes(field.schema).includes('array') && hasScalars(items)
    const text = `A list with this element of ${name}.`
    return isFiltered ? [query(`${name}:contains`, text, items, items.examples?.[0])] : []
  }
  const isNumber = field.kind === 'number'
  const given = toExample(field)
  const example = isNumber ? given : isFieldValue(given) ? String(given) : ''
  const schema = { type: isNumber ? 'number' : 'string' }
  const several = { type: 'array', items: schema, minItems: 1, maxItems: 100 }
  return [
    query(name, `Equal to this ${name}. Can be repeated.`, several, [example]),
    isNumber
      ? query(`${name}:gte`, `At least this ${name}.`, schema, example)
      : query(`${name}:contains`, `Contains this text.`, schema, 'a'),
  ]
}
