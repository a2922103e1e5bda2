import { typeBySuffix } from '../../http/negotiation/negotiate.ts'
import type { Link } from '../../http/response/links.ts'
import { html, type Html } from '../../site/html.ts'
import type { PagePlace } from '../../site/page.ts'
import type { Pages } from '../../stores/records/records.ts'
import { toTypes, type Resource } from '../definition.ts'
import { firstPage, toHref, type ListUrl } from './list-parameters.ts'
import { operatorWords, type ListQuery } from './list-query.ts'

export interface ListView {
  query: ListQuery
  pages: Pages
  /** Undefined where a QUERY is longer than a URL may be. */
  url?: ListUrl
  links: readonly Link[]
  /** The number of records on all pages; undefined for a list that is shown whole. */
  total?: number
  flash: Html | undefined
  place: PagePlace
}

const pageSizes = [10, 20, 50, 100]
const defaultSize = 20

export function searchForm({ path }: Resource, { parameters }: ListUrl, query: ListQuery): Html {
  const replaced = ['q', 'per_page', 'page', 'after', '_start', '_end']
  const hidden = [...parameters]
    .filter(([name]) => !replaced.includes(name))
    .flatMap(([name, values]) =>
      values.map((value) => html`<input type="hidden" name="${name}" value="${value}">\n`),
    )
  const size = query.part?.page?.size ?? defaultSize
  const sizes = [...new Set([...pageSizes, size])].toSorted((one, other) => one - other)
  return html`<form class="search row" role="search" action="${path}">
${hidden}<p class="field"><label for="q">Search</label><input type="search" id="q" name="q" value="${query.records.search?.text ?? ''}"></p>
<p class="field"><label for="per_page">Per page</label><select id="per_page" name="per_page">${sizes.map(
    (each) => html`<option value="${each}"${each === size ? html` selected` : ''}>${each}</option>`,
  )}</select></p>
<button type="submit" class="second">Search</button>
</form>
`
}

export function conditionList(resource: Resource, url: ListUrl, query: ListQuery): Html {
  const words = new Map(
    query.filters.map(({ parameter, field, filter, items }) => {
      const isText = toTypes(field.schema).includes('string')
      const wanted = items.map((item) => (isText ? `“${item}”` : item)).join(' or ')
      return [parameter, `${field.label} ${operatorWords[filter.operator]} ${wanted}`]
    }),
  )
  const { search } = query.records
  if (search) words.set('q', `any field contains “${search.text}”`)
  const items = [...url.parameters.keys()].flatMap((parameter) => {
    const condition = words.get(parameter)
    if (condition === undefined) return []
    const without = toHref(url, { [parameter]: undefined, ...firstPage })
    return html`<li>${condition} <a href="${without}" aria-label="Remove: ${condition}">Remove</a></li>\n`
  })
  if (items.length === 0) return html``
  const title = resource.title.toLowerCase()
  return html`<div class="conditions" role="group" aria-label="Filters">
<p>Only ${title} where</p>
<ul>${items}</ul>
<p><a href="${resource.path}">Show all ${title}</a></p>
</div>
`
}

export function otherTypes({ path }: Resource, { parameters }: ListUrl): Html {
  const link = (suffix: keyof typeof typeBySuffix, name: string) => {
    const href = toHref({ path: `${path}.${suffix}`, parameters })
    return html`<a href="${href}" type="${typeBySuffix[suffix]}">${name}</a>`
  }
  return html`<p class="quiet types">Also available as ${link('json', 'JSON')}, ${link('txt', 'text')}, ${link('csv', 'CSV')} and ${link('ndjson', 'NDJSON')}.</p>
`
}

const linkLabels = { first: 'First', prev: 'Previous', next: 'Next', last: 'Last' } as const

export function pagingLinks({ links, query, total = 0 }: ListView): Html {
  const page = query.part?.page
  const count = Math.ceil(total / (page?.size ?? 1))
  const isOnly = count === 1 && page?.number === 1
  if (page === undefined || count === 0 || isOnly || links.length === 0) return html``
  const isHere = { first: page.number === 1, prev: false, next: false, last: page.number === count }
  const toLinks = (...rels: Link['rel'][]) =>
    links
      .filter(({ rel }) => rels.includes(rel) && !isHere[rel])
      .map(({ rel, href }) => html`<a href="${href}" rel="${rel}">${linkLabels[rel]}</a>\n`)
  return html`<nav class="pages" aria-label="Pages">
${toLinks('first', 'prev')}<span>Page ${page.number} of ${count}</span>
${toLinks('next', 'last')}</nav>
`
}

export function countLine({ singular, title }: Resource, list: ListView, shown: number): Html {
  const { query, total = shown } = list
  const all = `${String(total)} ${total === 1 ? singular : title.toLowerCase()}`
  if (query.part === undefined || shown === total) return html`<p class="quiet count">${all}.</p>\n`
  const { offset } = query.part
  const range =
    shown === 1 ? String(offset + 1) : `${String(offset + 1)} to ${String(offset + shown)}`
  return html`<p class="quiet count">${range} of ${all}.</p>\n`
}
