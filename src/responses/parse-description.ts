import type { TLocalizedValidationError } from 'typebox/error'
import type { Config } from '../config/config.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { parseJson } from '../http/body/parse-json.ts'
import { toFieldProblems } from '../http/body/schema-problems.ts'
import { badRequest, HttpError, type FieldProblem } from '../http/errors/http-error.ts'
import { isDecimal, isObject } from '../http/request/parameters.ts'
import type { Pair } from '../http/security/visitor-response.ts'
import { findConflicts, type DescriptionLimits } from './description-limits.ts'
import {
  descriptionSchema,
  sequenceSchema,
  type ResponseDescription,
  type Sequence,
} from './description.ts'

const getValidator = compileLater(descriptionSchema)
const getSequenceValidator = compileLater(sequenceSchema)

type Checked<Value> = { value: Value } | { problems: readonly FieldProblem[] }

export function checkDescription(
  value: unknown,
  config: DescriptionLimits,
): Checked<ResponseDescription> {
  const validator = getValidator()
  if (!validator.Check(value)) return { problems: validator.Errors(value)[1].flatMap(toProblems) }
  const problems = findConflicts(value, config)
  return problems.length > 0 ? { problems } : { value }
}

/** A description, or a sequence of them. */
export function checkDescribed(
  value: unknown,
  config: DescriptionLimits,
): Checked<ResponseDescription | Sequence> {
  if (!isObject(value) || !('sequence' in value)) return checkDescription(value, config)
  const validator = getSequenceValidator()
  if (!validator.Check(value)) return { problems: validator.Errors(value)[1].flatMap(toProblems) }
  const problems = value.sequence.flatMap((step, index) =>
    findConflicts(step, config).map(({ field, message }) => ({
      field: 'sequence',
      message: `at /${String(index)}/${field} ${message}`,
    })),
  )
  return problems.length > 0 ? { problems } : { value }
}

/** Throws 400 that names each wrong member. */
export function parseDescription(value: unknown, config: DescriptionLimits): ResponseDescription {
  return assertValid(checkDescription(value, config))
}

/** Throws 400 that names each wrong member. */
export function parseDescribed(
  value: unknown,
  config: DescriptionLimits,
): ResponseDescription | Sequence {
  return assertValid(checkDescribed(value, config))
}

function assertValid<Value>(checked: Checked<Value>): Value {
  if ('value' in checked) return checked.value
  throw invalidDescription(checked.problems)
}

export function invalidDescription(problems: readonly FieldProblem[]): HttpError {
  const detail = problems.map(({ field, message }) => `${field || 'The description'} ${message}`)
  return new HttpError('bad-request', `${detail.join('; ')}.`, { fields: problems })
}

function toProblems(error: TLocalizedValidationError): FieldProblem[] {
  const { keyword, schemaPath, instancePath } = error
  if (keyword === 'type' && instancePath === '')
    return [{ field: '', message: 'must be an object' }]
  // Each of these summarizes others.
  if (keyword === 'additionalProperties' || keyword === 'propertyNames') return []
  if (keyword === 'pattern') return toFieldProblems({ ...error, message: 'is not a valid name' })
  if (keyword !== 'anyOf') return schemaPath.includes('/anyOf/') ? [] : toFieldProblems(error)
  return toFieldProblems({ ...error, message: 'must be text or a list of texts' })
}

/** The parameters of members that have several values, which are repeated. */
const repeatable: Readonly<Record<string, keyof ResponseDescription>> = {
  header: 'headers',
  trailer: 'trailers',
  early_hint: 'early_hints',
  cookie: 'cookies',
}

/** The description in query parameters, unchecked. Throws 400. */
export function toDescription(query: readonly Pair[], config: Config): Record<string, unknown> {
  const groups = Map.groupBy(query, ([name]) => name)
  const entries = [...groups].map(([name, pairs]): [string, unknown] => {
    const values = pairs.map(([, value]) => value)
    const member = Object.hasOwn(repeatable, name) ? repeatable[name] : undefined
    if (member === undefined) return [name, toMember(name, values, config)]
    return [member, member === 'cookies' ? values : toFields(name, values)]
  })
  return Object.fromEntries(entries)
}

/** A value that has no such form stays text, for the error of the schema. */
function toMember(name: string, [value = '', ...others]: readonly string[], config: Config) {
  if (others.length > 0) throw badRequest(`${name} is given more than once.`)
  if (name === 'json') return parseJson(value, config, 'json')
  // In a query, + is a space.
  if (name === 'base64') return value.replaceAll(' ', '+')
  if (name === 'close')
    return value === '' || value === 'true' || (value === 'false' ? false : value)
  const isNumber = ['status', 'delay', 'chunk_size', 'pause'].includes(name) && isDecimal(value)
  return isNumber ? Number(value) : value
}

function toFields(name: string, lines: readonly string[]) {
  const pairs = lines.map((line): Pair => {
    const [, field, value] = /^([^:]+):\s*(.*)$/s.exec(line) ?? []
    if (field === undefined || value === undefined) {
      throw badRequest(`${name} must have the form "Name: value".`)
    }
    return [field, value]
  })
  const groups = Map.groupBy(pairs, ([field]) => field)
  return Object.fromEntries([...groups].map(([field, all]) => [field, all.map(([, one]) => one)]))
}
