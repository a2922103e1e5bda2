import { toItems } from './list-aliases.ts'
import { toVisibleFields } from './list-query.ts'
import type { ParameterTexts } from './list-parameters.ts'
import type { Resource } from '../definition.ts'

/** Where a list is: the path, and the parameters in our own spelling. */
export interface ListUrl {
  path: string
  parameters: ParameterTexts
}

/** The address with some parameters said otherwise, or no longer where the value is undefined. */
export function toHref(
  { path, parameters }: ListUrl,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const texts = new URLSearchParams()
  for (const [name, values] of parameters) {
    if (!(name in changes)) for (const value of values) texts.append(name, value)
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) texts.set(name, value)
  }
  return texts.size === 0 ? path : `${path}?${texts.toString()}`
}

/** A parameter that leaves records out, and what it asks of those that stay. */
export interface Condition {
  parameter: string
  words: string
}

const operatorWords: Readonly<Record<string, string>> = {
  eq: 'is',
  in: 'is',
  ne: 'is not',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
}

/** What the parameters ask of a record, in words. */
export function toConditions(resource: Resource, parameters: ParameterTexts): Condition[] {
  const visible = toVisibleFields(resource)
  return [...parameters].flatMap(([parameter, values]) => {
    if (parameter === 'q') {
      const text = values.at(-1) ?? ''
      return text === '' ? [] : [{ parameter, words: `any field contains “${text}”` }]
    }
    const [field = '', operator = 'eq'] = parameter.split(':')
    if (!visible.includes(field)) return []
    const items = operator === 'in' ? toItems(values) : values
    const isNumber = resource.fields.some(({ name, kind }) => name === field && kind === 'number')
    const asked = items.map((item) => (isNumber ? item : `“${item}”`)).join(' or ')
    const words = `${toLabel(resource, field)} ${operatorWords[operator] ?? ''} ${asked}`
    return [{ parameter, words }]
  })
}

const ownLabels: Readonly<Record<string, string>> = {
  _id: 'Id',
  createdAt: 'Created',
  updatedAt: 'Updated',
}

/** What a field is called in words. */
export function toLabel({ fields }: Resource, name: string): string {
  return ownLabels[name] ?? fields.find((field) => field.name === name)?.label ?? name
}
