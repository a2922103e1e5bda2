import { html, type Html } from '../../site/html.ts'
import { toTypes, type Resource } from '../definition.ts'
import { toItems } from './list-aliases.ts'
import type { ParameterTexts } from './list-parameters.ts'
import { parseFilterName } from './list-query.ts'
import { toHref, type ListUrl } from './list-url.ts'

/** A parameter that leaves records out, and what it asks of the others. */
interface Condition {
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

export function toConditions(resource: Resource, parameters: ParameterTexts): Condition[] {
  return [...parameters].flatMap(([parameter, values]) => {
    if (parameter === 'q') {
      const text = values.at(-1) ?? ''
      return text === '' ? [] : [{ parameter, words: `any field contains “${text}”` }]
    }
    const { field, operator } = parseFilterName(resource, parameter) ?? {}
    if (field === undefined || operator === undefined) return []
    const items = operator === 'in' ? toItems(values) : values
    const isText = toTypes(field.schema).includes('string')
    const wanted = items.map((item) => (isText ? `“${item}”` : item)).join(' or ')
    return [{ parameter, words: `${field.label} ${operatorWords[operator] ?? ''} ${wanted}` }]
  })
}

/** The conditions, each with a link that removes it. */
export function conditionList(resource: Resource, url: ListUrl): Html {
  const conditions = toConditions(resource, url.parameters)
  if (conditions.length === 0) return html``
  const items = conditions.map(({ parameter, words }) => {
    const without = toHref(url, { [parameter]: undefined, page: undefined })
    return html`<li>${words} <a href="${without}" aria-label="Remove: ${words}">Remove</a></li>\n`
  })
  const title = resource.title.toLowerCase()
  return html`<div class="conditions" role="group" aria-label="Filters">
<p>Only ${title} where</p>
<ul>${items}</ul>
<p><a href="${resource.path}">Show all ${title}</a></p>
</div>
`
}
