import { maxCursorLength, maxEmbedLevels, maxPerPage, maxValues } from '../../config/limits.ts'
import { isFieldValue } from '../../stores/records/records.ts'
import { toComponent } from '../../http/openapi/component.ts'
import { orEmpty, queryParameter as query, text } from '../../http/openapi/content.ts'
import { requestHeaders } from '../../http/openapi/fields.ts'
import type { Parameter } from '../../http/openapi/operation.ts'
import type { ResourceContext } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { hasScalarType, toTypes, type FieldSchema } from '../../http/openapi/json-schema.ts'
import { isEmbed } from '../relations/embed.ts'
import { hasText } from '../../lists/filters.ts'
import { maxPage } from '../../lists/part.ts'
import { toExample } from './create-example.ts'
import { toSchemaName } from './schemas.ts'

export function listParameters(resource: Resource) {
  const { visible, readable } = resource
  const names = visible.map(({ name }) => name)
  const field = { type: 'string', enum: names }
  const term = { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }
  const some = names.slice(0, 2)
  const example = some.map((name, index) => (index === 0 ? `-${name}` : name))
  const own = [
    orEmpty(
      separated('sort', ['The fields to sort by. A minus reverses the order.', example, term]),
    ),
    separated('fields', ['The fields to include in JSON, NDJSON and CSV.', some, field]),
    ...readable.flatMap((field) =>
      // A field is found by its name before an operator is.
      toFilters(field).filter(
        ({ name }) => !reserved.test(name) && (name === field.name || !names.includes(name)),
      ),
    ),
  ]
  const prefix = `${toSchemaName(resource)}.`
  return [
    ...shared.map((one) => toComponent('parameters', one.name, one)),
    ...own.map((one) => toComponent('parameters', prefix + toName(one), one)),
    ...requestHeaders('If-None-Match', 'Want-Repr-Digest'),
  ]
}

/** A list has no filter of this name: `sort=` is never about a field. */
const reserved = /^(page|per_page|after|q|sort|fields)$/

/** `price:gte` → `price.gte`. No two fields have one name. */
function toName({ name }: Parameter): string {
  const toHex = (character: string) => `.${(character.codePointAt(0) ?? 0).toString(16)}.`
  return name.replaceAll(/[^\w-]/gu, toHex).replace(/\.3a\.(gte|contains)$/, '.$1')
}

export function toEmbedParameters({ relations, resource }: ResourceContext): Parameter[] {
  const names = relations.map(({ name }) => name)
  if (names.length === 0 || !isEmbed(resource, 'embed')) return []
  const description = `The related records to include in JSON: ${names.join(', ')}. \`a.b\` embeds in the embedded ones, in at most ${String(maxEmbedLevels)} levels.`
  const path = {
    ...text,
    pattern: `^$|^(${names.map(toPattern).join('|')})(\\.[^,]+){0,${String(maxEmbedLevels - 1)}}$`,
  }
  return [separated('embed', [description, names.slice(0, 1), path])]
}

const toPattern = (text: string) => text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)

const page = { type: 'integer', minimum: 1, maximum: maxPage }
const perPage = { ...page, maximum: maxPerPage }
const cursor = {
  type: 'string',
  minLength: 1,
  maxLength: maxCursorLength,
  pattern: '^[A-Za-z0-9_-]+$',
}
const shared = [
  query('page', ['The page. Without `page` and `per_page` the whole list is sent.', 1, page]),
  orEmpty(query('per_page', ['Default: 20 records; blank without `page`: all.', 10, perPage])),
  query('after', [
    'The cursor of a `next` link. `page` then only numbers the page.',
    undefined,
    cursor,
  ]),
  query('q', ['Text that a field contains, ignoring case.', 'a']),
]

export const listDescription = `\`<field>=\` and \`<field>:<operator>=\` filter by every field in the response, also by the id. The operators are \`eq\`, \`ne\`, \`lt\`, \`lte\`, \`gt\`, \`gte\`, \`in\`, \`contains\`, \`startsWith\` and \`endsWith\`. Repeated values of a filter are combined with OR. An unknown parameter gets 400. The parameters of json-server (\`_page\`, \`_limit\`, \`_sort\`, \`name_like\`) are supported too.
QUERY (RFC 10008) accepts the same parameters as a form or as JSON.`

function separated(
  name: string,
  [description, example, items]: readonly [string, readonly string[], object],
) {
  const schema = { type: 'array', items, minItems: 1 }
  return { ...query(name, [description, example, schema]), style: 'form', explode: false } as const
}

function toValueSchema(schema: FieldSchema, acceptsNull: boolean) {
  const types = [...toTypes(schema), ...(acceptsNull ? ['null'] : [])]
  if (types.includes('string')) return text
  const scalars = types.filter((type) => type !== 'array' && type !== 'object')
  return { type: [...new Set(scalars.map((type) => (type === 'integer' ? 'number' : type)))] }
}

function toFilters(field: Field): Parameter[] {
  const { name } = field
  const { items = {} } = field.schema
  const types = toTypes(field.schema)
  if (!hasScalarType(types)) {
    const isFiltered = types.includes('array') && hasScalarType(toTypes(items))
    const about = `A list with this element of ${name}.`
    const schema = toValueSchema(items, field.acceptsNull)
    return isFiltered ? [query(`${name}:contains`, [about, items.examples?.[0], schema])] : []
  }
  const isNumber = field.kind === 'number'
  const schema = toValueSchema(field.schema, field.acceptsNull)
  const given = toExample(field)
  const example = schema !== text ? given : isFieldValue(given) ? String(given) : ''
  const several = { type: 'array', items: schema, minItems: 1, maxItems: maxValues }
  const equal = query(name, [`Equal to this ${name}. Can be repeated.`, [example], several])
  if (isNumber) return [equal, query(`${name}:gte`, [`At least this ${name}.`, example, schema])]
  return hasText(types) ? [equal, query(`${name}:contains`, ['Contains this text.', 'a'])] : [equal]
}
