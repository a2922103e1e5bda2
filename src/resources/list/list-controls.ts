import { formatCount, formatNumber } from '../../config/format-count.ts'
import { typeBySuffix } from '../../http/negotiation/negotiate.ts'
import type { Link } from '../../http/response/links.ts'
import { operatorWords } from '../../lists/filters.ts'
import { firstPage, toHref, type ListUrl } from '../../lists/parameters.ts'
import { html, renderHiddenFields, type Html } from '../../site/html.ts'
import type { PagePlace } from '../../site/page.ts'
import type { RecordPages, StoredRecord } from '../../stores/records/records.ts'
import type { Relation } from '../context.ts'
import { type Resource } from '../definition.ts'
import { toLower } from '../field-values.ts'
import type { ToParentName } from '../relations/related-html.ts'
import type { ListQuery } from './list-query.ts'

export interface ListView {
  query: ListQuery
  pages: RecordPages | readonly (readonly StoredRecord[])[]
  /** It is undefined where a QUERY is longer than a URL may be. */
  url?: ListUrl | undefined
  links: readonly Link[]
  /** The number of records on all pages; undefined for a list that is shown whole. */
  total?: number
  flash: Html | undefined
  relations: readonly Relation[]
  place: PagePlace
}

const pageSizes = [20, 50, 100]

/** Without a page size the whole list is on one page. */
export function renderSearchForm(
  { path, title }: Resource,
  { parameters }: ListUrl,
  query: ListQuery,
): Html {
  const replaced = ['q', 'per_page', 'page', 'after', '_start', '_end']
  const size = query.part?.page?.size
  const sizes = [...new Set([...pageSizes, ...(size ? [size] : [])])]
  return html`<form class="search" role="search" action="${path}">
${renderHiddenFields(parameters, replaced)}<input type="search" name="q" aria-label="Search ${toLower(title)}" placeholder="Search" dir="auto" value="${query.records.search?.text ?? ''}">
<select name="per_page" aria-label="${title} per page"><option value="">All on one page</option>${sizes
    .toSorted((one, other) => one - other)
    .map(
      (each) =>
        html`<option value="${each}"${each === size ? html` selected` : ''}>${each} per page</option>`,
    )}</select>
<button type="submit" class="second unscripted">Apply</button>
</form>
`
}

export function renderConditionList(
  resource: Resource,
  url: ListUrl,
  { query, toParentName }: Pick<ListView, 'query'> & { toParentName: ToParentName },
): Html {
  const words = new Map(
    query.filters.map(({ parameter, field, filter, items }) => {
      const isText = field.types.includes('string')
      const toWanted = (item: string) => (isText ? `“${item}”` : item)
      const isIds = ['eq', 'ne'].includes(filter.operator)
      const wanted = items
        .map(
          (item) => (isIds ? toParentName(String(field.path), item) : undefined) ?? toWanted(item),
        )
        .join(' or ')
      return [parameter, `${field.label} ${operatorWords[filter.operator]} ${wanted}`]
    }),
  )
  const { search } = query.records
  if (search) words.set('q', `any field contains “${search.text}”`)
  const items = [...url.parameters.keys()].flatMap((parameter) => {
    const condition = words.get(parameter)
    if (condition === undefined) return []
    const without = toHref(url, { [parameter]: undefined, ...firstPage })
    return html`<li><a class="remove" href="${without}" aria-label="Remove the filter: ${condition}">${condition}</a></li>\n`
  })
  if (items.length === 0) return html``
  return html`<ul class="chips filters" aria-label="Filters">
${items}<li><a href="${resource.path}">Show all ${toLower(resource.title)}</a></li>
</ul>
`
}

export function otherTypes({ path }: Resource, { parameters }: ListUrl): Html {
  const link = (suffix: keyof typeof typeBySuffix, name: string) => {
    const href = toHref({ path: `${path}.${suffix}`, parameters })
    return html`<li><a href="${href}" type="${typeBySuffix[suffix]}">${name}</a></li>\n`
  }
  return html`<ul class="chips types" aria-label="Other representations">
${link('json', 'JSON')}${link('txt', 'Text')}${link('csv', 'CSV')}${link('ndjson', 'NDJSON')}</ul>
`
}

const linkLabels = { first: 'First', prev: 'Previous', next: 'Next', last: 'Last' } as const

export function renderPagingLinks({ links, query, total = 0 }: ListView): Html {
  const page = query.part?.page
  const count = Math.ceil(total / (page?.size ?? 1))
  const isOnly = count === 1 && page?.number === 1
  if (page === undefined || count === 0 || isOnly || links.length === 0) return html``
  const isHere = { first: page.number === 1, prev: false, next: false, last: page.number === count }
  const toLinks = (...rels: Link['rel'][]) =>
    links
      .filter(({ rel }) => rels.includes(rel) && !isHere[rel])
      .map(
        ({ rel, href }) =>
          html`<a class="button second" href="${href}" rel="${rel}">${linkLabels[rel]}</a>\n`,
      )
  return html`<nav class="pages" aria-label="Pages">
${toLinks('first', 'prev')}<span>Page ${formatNumber(page.number)} of ${formatNumber(count)}</span>
${toLinks('next', 'last')}</nav>
`
}

export function countLine({ singular, title }: Resource, list: ListView, shown: number): Html {
  const { query, total = shown } = list
  const { filters, search } = query.records
  const { offset = 0 } = query.part ?? {}
  const isFiltered = filters.length > 0 || search !== undefined
  const matching = isFiltered ? 'matching ' : ''
  const all = formatCount(total, matching + singular, matching + toLower(title))
  const whole = total === 1 || isFiltered ? all : `All ${all}`
  const first = formatNumber(offset + 1)
  const range = shown === 1 ? first : `${first} to ${formatNumber(offset + shown)}`
  return html`<p class="count">${shown === total ? whole : `${range} of ${all}`}</p>\n`
}
