import type { Field } from '../definition.ts'

/** The limits of a field, for who fills it in: `1 to 200 characters`. Undefined where there are none. */
export function toHint(field: Field, { isKept = false } = {}): string | undefined {
  const limits = field.description ?? toLimits(field)
  if (!isKept) return limits
  const keeping = 'Leave empty to keep the one there is.'
  return limits === undefined ? keeping : `${keeping} A new one: ${limits}`
}

function toLimits(field: Field): string | undefined {
  const { kind, minimum, maximum, minLength, maxLength } = field
  return kind === 'number'
    ? toRange([minimum, maximum], '')
    : toRange([minLength, maxLength], ' characters')
}

function toRange([least, most]: [number | undefined, number | undefined], unit: string) {
  if (least === undefined && most === undefined) return undefined
  if (least === undefined) return `Up to ${toText(most)}${unit}`
  if (most === undefined) return `At least ${toText(least)}${unit}`
  return `${toText(least)} to ${toText(most)}${unit}`
}

/** With the signs of print: a real minus, and commas between thousands. */
function toText(limit = 0): string {
  return limit.toLocaleString('en').replace('-', '−')
}
