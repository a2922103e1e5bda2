import type { Parameter } from '../../http/openapi/operation.ts'
import type { Field, Resource } from '../definition.ts'
import { maxPage, maxPerPage } from '../list/list-part.ts'
import { toVisibleFields } from '../list/list-query.ts'
import { exampleOf } from './schemas.ts'

/** What the address of a list can ask for. */
export function listParameters(resource: Resource): readonly Parameter[] {
  const visible = toVisibleFields(resource)
  return [
    query('page', 'Which page; with neither `page` nor `per_page`, everything.', {
      schema: { type: 'integer', minimum: 1, maximum: maxPage },
      example: 1,
    }),
    query('per_page', 'How many records on a page; 20 if not said.', {
      schema: { type: 'integer', minimum: 1, maximum: maxPerPage },
      example: 10,
    }),
    query('sort', 'By which fields; a minus turns the order around.', {
      ...separated(visible.flatMap((name) => [name, `-${name}`])),
      example: ['-createdAt', visible[1]],
    }),
    query('q', 'Text that some field has, in any letter case.', {
      schema: { type: 'string' },
      example: 'a',
    }),
    query('fields', 'Which fields to show in JSON, NDJSON and CSV.', {
      ...separated(visible),
      example: visible.slice(0, 2),
    }),
    ...resource.fields.flatMap((field) => toFilters(field, exampleOf(resource, field.name))),
  ]
}

export const listDescription = `\`<field>=\` and \`<field>:<operator>=\` filter by every field that is shown, \`_id\` and the times too: \`eq\`, \`ne\`, \`lt\`, \`lte\`, \`gt\`, \`gte\`, \`in\`, \`contains\`, \`startsWith\`, \`endsWith\`. Of several values of one parameter one has to do. A parameter that is not known gets 400. The spellings of json-server (\`_page\`, \`_limit\`, \`_sort\`, \`name_like\`) are understood too.

QUERY (RFC 10008) takes the same parameters as a form or as JSON.`

function query(
  name: string,
  description: string,
  more: Pick<Parameter, 'schema' | 'example' | 'style' | 'explode'>,
): Parameter {
  return { name, in: 'query', description, ...more }
}

/** Some of these words, separated by commas. */
function separated(words: readonly string[]) {
  const schema = { type: 'array', items: { type: 'string', enum: words }, minItems: 1 }
  return { schema, style: 'form', explode: false } as const
}

function toFilters({ name, kind }: Field, example: unknown): Parameter[] {
  const several = (items: object) => {
    return { schema: { type: 'array', items, minItems: 1, maxItems: 100 }, example: [example] }
  }
  switch (kind) {
    case 'password':
      return []
    case 'number': {
      const number = { type: 'number' }
      return [
        query(name, `The ${name}, or several.`, several(number)),
        query(`${name}:gte`, `The least ${name}.`, { schema: number, example }),
      ]
    }
    default: {
      const text = { type: 'string' }
      return [
        query(name, `The ${name}, or several.`, several(text)),
        query(`${name}:contains`, `Part of the ${name}.`, { schema: text, example: 'a' }),
      ]
    }
  }
}
