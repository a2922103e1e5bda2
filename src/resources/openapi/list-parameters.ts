import type { Parameter } from '../../http/openapi/operation.ts'
import type { Field, Resource } from '../definition.ts'
import { maxPage, maxPerPage } from '../list/list-part.ts'
import { toExample } from './schemas.ts'

export function listParameters(resource: Resource): readonly Parameter[] {
  const visible = resource.visible.map(({ name }) => name)
  return [
    query('page', 'The page. Without `page` and `per_page` the whole list is sent.', {
      schema: { type: 'integer', minimum: 1, maximum: maxPage },
      example: 1,
    }),
    query('per_page', 'Records per page. The default is 20.', {
      schema: { type: 'integer', minimum: 1, maximum: maxPerPage },
      example: 10,
    }),
    query('sort', 'The fields to sort by. A minus reverses the order.', {
      ...separated(visible.flatMap((name) => [name, `-${name}`])),
      example: ['-createdAt', visible[1]],
    }),
    query('q', 'Text that a field contains, ignoring case.', {
      schema: { type: 'string' },
      example: 'a',
    }),
    query('fields', 'The fields to include in JSON, NDJSON and CSV.', {
      ...separated(visible),
      example: visible.slice(0, 2),
    }),
    ...resource.readable.flatMap(toFilters),
  ]
}

export const listDescription = `\`<field>=\` and \`<field>:<operator>=\` filter by every field in the response, \`_id\` and the times included. The operators are \`eq\`, \`ne\`, \`lt\`, \`lte\`, \`gt\`, \`gte\`, \`in\`, \`contains\`, \`startsWith\` and \`endsWith\`. Repeated values of a parameter are combined with OR. An unknown parameter gets 400. The parameters of json-server (\`_page\`, \`_limit\`, \`_sort\`, \`name_like\`) are supported too.
QUERY (RFC 10008) accepts the same parameters as a form or as JSON.`

function query(
  name: string,
  description: string,
  more: Pick<Parameter, 'schema' | 'example' | 'style' | 'explode'>,
): Parameter {
  return { name, in: 'query', description, ...more }
}

function separated(words: readonly string[]) {
  const schema = { type: 'array', items: { type: 'string', enum: words }, minItems: 1 }
  return { schema, style: 'form', explode: false } as const
}

function toFilters(field: Field): Parameter[] {
  const { name } = field
  const example = toExample(field)
  const isNumber = field.kind === 'number'
  const schema = { type: isNumber ? 'number' : 'string' }
  const several = { type: 'array', items: schema, minItems: 1, maxItems: 100 }
  return [
    query(name, `Equal to this ${name}. Can be repeated.`, { schema: several, example: [example] }),
    isNumber
      ? query(`${name}:gte`, `At least this ${name}.`, { schema, example })
      : query(`${name}:contains`, `Contains this text.`, { schema, example: 'a' }),
  ]
}
