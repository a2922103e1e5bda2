import type { TLocalizedValidationError } from 'typebox/error'
import { isObject } from '../config/is-object.ts'
import { findNearest } from '../config/find-nearest.ts'
import { compileLater } from '../http/body/json-schema.ts'
import { toFieldProblems } from '../http/body/schema-problems.ts'
import { explainProblem, HttpError, type FieldProblem } from '../http/errors/http-error.ts'
import { findConflicts, type DescriptionLimits } from './description-limits.ts'
import {
  descriptionSchema,
  scriptMembers,
  sequenceSchema,
  stubSchema,
  stubSequenceSchema,
  type Description,
  type Sequence,
} from './description.ts'

const getValidator = compileLater(descriptionSchema)
const getSequenceValidator = compileLater(sequenceSchema)
const getStubValidator = compileLater(stubSchema)
const getStubSequenceValidator = compileLater(stubSequenceSchema)

export type Described = Description | Sequence

export function checkDescribed(
  value: unknown,
  config: DescriptionLimits,
): { value: Described } | { problems: readonly FieldProblem[] } {
  const isSequence = isObject(value) && 'sequence' in value
  const { isStub = false } = config
  const ofSequence = isStub ? getStubSequenceValidator : getSequenceValidator
  const validator = (isSequence ? ofSequence : isStub ? getStubValidator : getValidator)()
  if (!validator.Check(value)) {
    const errors = hasManyValues(value) ? [] : validator.Errors(value)[1]
    const named = errors.flatMap(toProblems)
    return {
      problems: named.length > 0 ? named : [{ field: '', message: 'does not fit its schema' }],
    }
  }
  const problems =
    'sequence' in value
      ? value.sequence.flatMap((step, index) =>
          toInner('sequence', findConflicts(step, config), [String(index)]),
        )
      : findConflicts(value, config)
  return problems.length > 0 ? { problems } : { value }
}

export function toInner(
  field: string,
  problems: readonly FieldProblem[],
  path: readonly string[] = [],
) {
  return problems.map((inner): FieldProblem => {
    const inside = [...path, ...(inner.field === '' ? [] : [inner.field]), ...(inner.inside ?? [])]
    return { field, inside, message: inner.message }
  })
}

/** Throws 400 that names each wrong member, after `intro`. */
export function parseDescribed(value: unknown, config: DescriptionLimits, intro = ''): Described {
  const checked = checkDescribed(value, config)
  if ('value' in checked) return checked.value
  throw badDescription(checked.problems, intro)
}

/** Throws 400 that names each wrong member, after `intro`. */
export function parseDescription(
  value: unknown,
  config: DescriptionLimits,
  intro = '',
): Description {
  const described = parseDescribed(value, config, intro)
  if (!('sequence' in described)) return described
  throw badDescription([{ field: 'sequence', message: 'is not allowed' }], intro)
}

/** To list what is wrong with a megabyte of values would take seconds. */
const maxCheckedValues = 5000

function hasManyValues(value: unknown): boolean {
  let left = maxCheckedValues
  const visit = (part: unknown): boolean => {
    left -= 1
    if (left < 0) return true
    return typeof part === 'object' && part !== null && Object.values(part).some(visit)
  }
  return visit(value)
}

const maxShownProblems = 20

export function badDescription(problems: readonly FieldProblem[], intro = ''): HttpError {
  const shown = problems.slice(0, maxShownProblems)
  const detail = shown.map((problem) => explainProblem(problem, problem.field || 'The description'))
  return new HttpError('bad-request', `${intro}${detail.join('; ')}.`, { fields: shown })
}

function toProblems(error: TLocalizedValidationError): FieldProblem[] {
  const { keyword, schemaPath, instancePath } = error
  if (keyword === 'type' && instancePath === '')
    return [{ field: '', message: 'must be an object, such as {"status":503}' }]
  if (keyword === 'type' && /^\/sequence\/\d+$/.test(instancePath))
    return toFieldProblems(error).map(({ message, ...problem }) => ({
      ...problem,
      message: `${message}, such as {"status":503,"times":2}`,
    }))
  // Each of these summarizes others.
  if (keyword === 'additionalProperties' || keyword === 'propertyNames') return []
  if (keyword === 'pattern' && !/(^|\/)(delay|reason)$/.test(instancePath))
    return toFieldProblems({ ...error, message: 'is not a valid name of a header' })
  if (keyword === 'boolean')
    return toFieldProblems(error).map((problem) => addRemedy(problem, error))
  const isDelay = /(^|\/)delay$/.test(instancePath)
  if (keyword === 'anyOf' && isDelay) return toFieldProblems({ ...error, message: delayForm })
  if (keyword === 'pattern' || keyword !== 'anyOf')
    return schemaPath.includes('/anyOf/') ? [] : toFieldProblems(error)
  return toFieldProblems({ ...error, message: 'must be text or a list of texts' })
}

const delayForm =
  'must be a number of seconds, a range such as "0.1-0.5", or an object such as {"mean":0.2,"deviation":0.05}'

/** Clients write these in JSON as they would in a query. */
const remedies = new Map([
  ...['header', 'cookie', 'trailer', 'early_hint'].map((name) => [name, `${name}s`] as const),
  ['retry_after', 'headers with Retry-After'],
  ['steps', 'sequence in JSON'],
])

const members = Object.keys(descriptionSchema.properties)

function addRemedy(problem: FieldProblem, { instancePath }: TLocalizedValidationError) {
  const name = instancePath.replace(/.*\//, '')
  const known = /\/websocket\/\d+\/[^/]*$/.test(instancePath)
    ? scriptMembers
    : /\/sequence\/\d+\/[^/]*$/.test(instancePath)
      ? [...members, 'times']
      : members
  const remedy = remedies.get(name) ?? findNearest(name, known)
  const hint = remedy === undefined ? `the members are ${known.join(', ')}` : `use ${remedy}`
  return { ...problem, message: `${problem.message}: ${hint}` }
}
