import { formatCount, formatNumber } from '../../config/format-count.ts'
import { typeBySuffix } from '../../http/negotiation/negotiate.ts'
import type { Link } from '../../http/response/links.ts'
import { toOperatorWords } from '../../lists/filters.ts'
import { firstPage, toHref, type ListUrl } from '../../lists/parameters.ts'
import { html, renderHiddenFields, type Html } from '../../site/html.ts'
import type { PagePlace } from '../../site/page.ts'
import type { RecordPages, StoredRecord } from '../../stores/records/records.ts'
import type { Relation } from '../context.ts'
import { type Resource } from '../definition.ts'
import { toLower } from '../field-values.ts'
import type { ToParentName } from '../relations/related-html.ts'
import { toColumns, toFieldsTexts, type Columns } from './columns.ts'
import { findListField } from './list-fields.ts'
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
  toParentName: ToParentName
  relations: readonly Relation[]
  /** Whether nothing can be deleted. */
  isReadOnly: boolean
  /** What is deleted with the records, for the confirmation. */
  removed: Html
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

/** What the list shows: each chip is a link to the list without this filter, this order or with this column. */
export function renderChips(resource: Resource, list: ListView, columns: Columns): Html {
  const { query, url } = list
  if (url === undefined) return html``
  const toChip = (text: string, what: string, changes: Parameters<typeof toHref>[1]) =>
    html`<li><a class="remove" href="${toHref(url, { ...changes, ...firstPage })}" aria-label="${what}: ${text}">${text}</a></li>\n`
  const conditions = toConditions(list)
  const filters = [...url.parameters.keys()].flatMap((name) => {
    const condition = conditions.get(name)
    return condition === undefined
      ? []
      : [toChip(condition, 'Remove the filter', { [name]: undefined })]
  })
  const terms = query.records.sort.map(({ field, isDescending }) => {
    const name = [field].flat().join('.')
    const text = `${findListField(resource, name)?.label ?? name}, ${isDescending ? 'descending' : 'ascending'}`
    return { text: `Sorted by ${text}`, term: isDescending ? `-${name}` : name }
  })
  const orders = terms.map((each) => {
    const others = terms.filter((other) => other !== each).map(({ term }) => term)
    return toChip(each.text, 'Remove the order', { sort: others.length > 0 ? others : undefined })
  })
  const usual = toColumns(resource).shown
  const hidden = usual.filter(({ name }) => columns.shown.every((field) => field.name !== name))
  const hides = hidden.map((field) => {
    const names = [...columns.shown, field].map(({ name }) => name)
    const isUsual = hidden.length === 1 && names.length === usual.length
    const fields = isUsual ? undefined : toFieldsTexts(names)
    return toChip(`${field.label} is hidden`, 'Show the column', { fields })
  })
  if (filters.length + orders.length + hides.length === 0) return html``
  const reset = html`<li><a href="${resource.path}">Show all ${toLower(resource.title)}</a></li>\n`
  return html`<ul class="chips filters" aria-label="Filters, order and columns">
${filters}${orders}${hides}${filters.length > 0 ? reset : ''}</ul>
`
}

/** What the parameters of filters mean. A record that is referenced is named. */
function toConditions({ query, toParentName }: ListView): Map<string, string> {
  const words = new Map<string, string>()
  for (const { parameter, field, filter, items } of query.filters) {
    const isText = field.types.includes('string')
    const isIds = ['eq', 'ne'].includes(filter.operator)
    const toName = (item: string) => (isIds ? toParentName(String(field.path), item) : undefined)
    const wanted = items.map((item) => toName(item) ?? (isText ? `“${item}”` : item))
    words.set(
      parameter,
      `${field.label} ${toOperatorWords(field, filter.operator)} ${wanted.join(' or ')}`,
    )
  }
  const { search } = query.records
  if (search) words.set('q', `any field contains “${search.text}”`)
  return words
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
${toLinks('first', 'prev')}<span>${page.number > count ? formatCount(count, 'page') : `Page ${formatNumber(page.number)} of ${formatNumber(count)}`}</span>
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
