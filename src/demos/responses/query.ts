import type { XStatic } from 'typebox/schema'
import { compileLater } from '../../http/body/json-schema.ts'
import { toFieldProblems } from '../../http/body/schema-problems.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { queryParameter } from '../../http/openapi/content.ts'
import type { Parameter } from '../../http/openapi/operation.ts'
import { isDecimal } from '../../http/request/parameters.ts'
import type { Pair } from '../../http/security/visitor-response.ts'
import { badDescription } from '../../responses/parse-description.ts'
import { toUnknownProblem } from '../../responses/read-description.ts'

type QueryValues<Known> = XStatic<{
  type: 'object'
  properties: Known
  additionalProperties: false
}>

type Properties = Readonly<Record<string, { type: string; description: string; example?: string }>>

/**
 * The parser throws 400 that names each wrong parameter. `rules` are what the error says of one
 * after "must", by name: `have the form <example>` by default.
 */
export function createQueryParser<const Known extends Properties>(
  properties: Known,
  rules: { readonly [Name in keyof Known]?: string } = {},
): (query: readonly Pair[]) => QueryValues<Known> {
  const getValidator = compileLater({ type: 'object', properties, additionalProperties: false })
  return (query: readonly Pair[]) => {
    const values = new Map<string, unknown>()
    for (const [name, text] of query) {
      if (values.has(name)) throw badRequest(`${name} is given more than once.`)
      const isText = properties[name]?.type === 'string'
      values.set(name, !isText && isDecimal(text) ? Number(text) : text)
    }
    const value: unknown = Object.fromEntries(values)
    const validator = getValidator()
    if (validator.Check(value)) return value
    const errors = validator.Errors(value)[1].filter((error) => error.instancePath !== '')
    const problems = errors.flatMap((error) => {
      const name = error.instancePath.slice(1)
      if (error.keyword === 'boolean') return [toUnknownProblem(name, Object.keys(properties))]
      const message = `must ${rules[name] ?? `have the form ${properties[name]?.example ?? ''}`}`
      return toFieldProblems(error.keyword === 'pattern' ? { ...error, message } : error)
    })
    throw badDescription(problems)
  }
}

export function toQueryParameters(properties: Properties): Parameter[] {
  return Object.entries(properties).map(([name, { description, example, ...schema }]) =>
    queryParameter(name, [description, example, schema]),
  )
}
