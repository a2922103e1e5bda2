import { isObject } from '../config/is-object.ts'
import { maxAlternatives } from '../config/limits.ts'
import type { FieldProblem } from '../http/errors/http-error.ts'
import {
  findDifferences,
  needsBody,
  parseConditions,
  type Condition,
  type Difference,
} from './conditions.ts'
import type { DescriptionLimits } from './description-limits.ts'
import { checkDescribed, toInner, type Described } from './parse-description.ts'
import { findTemplateProblems } from './render.ts'
import type { RequestValues } from './request-values.ts'
import { toFraction } from './to-fraction.ts'

export interface Alternative {
  conditions: readonly Condition[]
  share: number | undefined
  described: Described
}

export type Alternatives = readonly Alternative[]

/** One description or sequence, or a list of them, each with its `when` and `share`. */
export function checkAlternatives(
  value: unknown,
  limits: DescriptionLimits,
): { value: Alternatives } | { problems: readonly FieldProblem[] } {
  if (!Array.isArray(value)) {
    const checked = checkAlternative(value, limits)
    return 'problems' in checked ? checked : { value: [checked.value] }
  }
  const count = value.length
  if (count === 0 || count > maxAlternatives) {
    const message = `must have 1 to ${String(maxAlternatives)} alternatives`
    return { problems: [{ field: '', message }] }
  }
  const all = value.map((each: unknown) => checkAlternative(each, limits))
  const problems = all.flatMap((checked, index) =>
    'problems' in checked ? checked.problems.map((problem) => toIndexed(problem, index)) : [],
  )
  if (problems.length > 0) return { problems }
  return { value: all.flatMap((checked) => ('value' in checked ? [checked.value] : [])) }
}

function toIndexed({ field, inside = [], message }: FieldProblem, index: number): FieldProblem {
  return { field: String(index), inside: [...(field === '' ? [] : [field]), ...inside], message }
}

function checkAlternative(
  value: unknown,
  limits: DescriptionLimits,
): { value: Alternative } | { problems: readonly FieldProblem[] } {
  const { when = {}, share, ...others } = isObject(value) ? value : {}
  const { conditions, problems } = parseConditions(when)
  const checked = checkDescribed(isObject(value) ? others : value, limits)
  if ('problems' in checked) problems.push(...checked.problems)
  else problems.push(...findAllTemplateProblems(checked.value))
  const isShare = share === undefined || (typeof share === 'number' && share >= 0 && share <= 1)
  if (!isShare) problems.push({ field: 'share', message: 'must be a number from 0 to 1' })
  if (problems.length > 0 || 'problems' in checked || !isShare) return { problems }
  return { value: { conditions, share, described: checked.value } }
}

function findAllTemplateProblems(described: Described): FieldProblem[] {
  if (!('sequence' in described)) return findTemplateProblems(described)
  return described.sequence.flatMap((step, index) =>
    toInner('sequence', findTemplateProblems(step), [String(index)]),
  )
}

/** Whether the body decides which alternative matches. */
export function dependsOnBody(alternatives: Alternatives): boolean {
  return alternatives.some(({ conditions }) => needsBody(conditions))
}

/** Whether one of them matches every request. */
export function isUnconditional(alternatives: Alternatives): boolean {
  return alternatives.some(({ conditions, share = 1 }) => conditions.length === 0 && share === 1)
}

export interface Draws {
  key: string
  /** How many requests have asked each alternative with a share. */
  counts: number[]
  /** How many templates have been rendered. */
  rendered: number
}

/** The index of the first alternative that matches, or the differences of the nearest one. */
export function chooseAlternative(
  alternatives: Alternatives,
  values: RequestValues,
  draws: Draws,
): { index: number } | { index: undefined; differences: readonly Difference[] } {
  let nearest: readonly Difference[] | undefined
  for (const [index, { conditions, share }] of alternatives.entries()) {
    const differences = findDifferences(conditions, values)
    if (differences.length === 0 && isDrawn(share, draws, index)) return { index }
    const isNearer = !nearest || differences.length < nearest.length
    // Its share, and no condition, has left out the others.
    if (isNearer && differences.length > 0) nearest = differences
  }
  return { index: undefined, differences: nearest ?? [] }
}

/** The hash of the number of the request decides, so that it is the same at each start. */
function isDrawn(share: number | undefined, { key, counts }: Draws, index: number): boolean {
  if (share === undefined) return true
  const count = (counts[index] ?? 0) + 1
  counts[index] = count
  return toFraction(`${key} ${String(index)} ${String(count)}`) < share
}
