import type { FastifyRequest } from 'fastify'
import { compileLater } from '../../http/body/json-schema.ts'
import { toFieldProblems } from '../../http/body/schema-problems.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import type { Parameter } from '../../http/openapi/operation.ts'
import { isDecimal } from '../../http/request/parameters.ts'
import { invalidDescription } from '../../responses/parse-description.ts'
import { toQuery } from '../../responses/read-description.ts'

interface QuerySchema {
  type: 'object'
  properties: Readonly<Record<string, { type: string; description: string; example?: string }>>
  additionalProperties: false
}

/** The parser throws 400 that names each wrong parameter. */
export function createQueryParser<const Schema extends QuerySchema>(schema: Schema) {
  const getValidator = compileLater(schema)
  return (request: FastifyRequest, query = toQuery(request)) => {
    const values = new Map<string, unknown>()
    for (const [name, text] of query) {
      if (values.has(name)) throw badRequest(`${name} is given more than once.`)
      const isText = schema.properties[name]?.type === 'string'
      values.set(name, !isText && isDecimal(text) ? Number(text) : text)
    }
    const value: unknown = Object.fromEntries(values)
    const validator = getValidator()
    if (validator.Check(value)) return value
    const errors = validator.Errors(value)[1].filter((error) => error.instancePath !== '')
    const problems = errors.flatMap((error) => {
      const example = schema.properties[error.instancePath.slice(1)]?.example ?? ''
      const message = `must have the form ${example}`
      return toFieldProblems(error.keyword === 'pattern' ? { ...error, message } : error)
    })
    throw invalidDescription(problems)
  }
}

export function toQueryParameters({ properties }: QuerySchema): Parameter[] {
  return Object.entries(properties).map(([name, { description, example, ...schema }]) => {
    const parameter = { name, in: 'query', description, schema } as const
    return example === undefined ? parameter : { ...parameter, example }
  })
}
