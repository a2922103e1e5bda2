import { html, type Html } from '../../site/html.ts'
import type { Link } from '../../http/response/links.ts'
import { pageAround, time } from '../../site/page.ts'
import type { Pages, StoredRecord } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { findValue, toRecordName, valueToHtml, valueToText } from '../field-values.ts'
import { conditionList, toConditions } from './list-conditions.ts'
import { countLine, otherTypes, pagingLinks, searchForm } from './list-controls.ts'
import type { ListQuery } from './list-query.ts'
import { toHref, type ListUrl } from './list-url.ts'

/** A list as its page shows it. */
export interface ListView {
  query: ListQuery
  pages: Pages
  /** Undefined where a QUERY is longer than a URL may be. */
  url?: ListUrl | undefined
  /** To the other pages. */
  links: readonly Link[]
  /** The number of records on all pages; undefined for a list that is shown whole. */
  total?: number | undefined
  flash: Html | undefined
}

/** The page of a list in chunks: its opening, one for every page of records, its closing. */
export async function* listPage(resource: Resource, list: ListView): AsyncGenerator<string> {
  const { opening, closing } = pageAround(resource.title)
  const columns = resource.fields.filter(({ kind }) => kind !== 'password')
  const figure = resource.createFigure?.()
  let shown = 0
  for await (const records of list.pages) {
    if (records.length === 0) continue
    if (shown === 0)
      yield html`${opening}${controls(resource, list)}${tableHead(resource, columns, list)}`.markup
    shown += records.length
    for (const record of records) figure?.add(record, toLink(resource, record))
    yield records.map((record) => listRow(resource, columns, record).markup).join('')
  }
  if (shown === 0) yield html`${opening}${emptyList(resource, list)}${closing}`.markup
  else {
    yield html`</tbody></table></section>
${figure?.toHtml() ?? ''}</div>
${listEnd(resource, list, shown)}${closing}`.markup
  }
}

function controls(resource: Resource, { query, url, flash }: ListView): Html {
  const { path, singular } = resource
  return html`${flash ?? ''}<div class="listing-head">
${url ? searchForm(resource, url, { page: query.part?.page }) : ''}<p><a class="button" href="${path}/new">New ${singular}</a></p>
</div>
${url ? conditionList(resource, url) : ''}`
}

function tableHead(resource: Resource, columns: readonly Field[], list: ListView): Html {
  const created = { name: 'createdAt', label: 'Created', kind: 'date-time' } as const
  const heads = [...columns, created].map((column) => columnHead(column, list))
  return html`<div class="listing"><section class="table" tabindex="0" aria-label="${resource.title}"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
`
}

/** A link that sorts by the column, in the other direction where the list is sorted by it already. */
function columnHead(
  { name, label, kind }: Pick<Field, 'name' | 'label' | 'kind'>,
  { query, url }: ListView,
): Html {
  const [first = { field: 'createdAt', isDescending: false }] = query.records.sort
  const isFirst = first.field === name
  const direction = first.isDescending ? 'descending' : 'ascending'
  const attributes = html`scope="col"${kind === 'number' ? html` class="number"` : ''}${isFirst ? html` aria-sort="${direction}"` : ''}`
  if (url === undefined) return html`<th ${attributes}>${label}</th>`
  const sort = isFirst && !first.isDescending ? `-${name}` : name
  return html`<th ${attributes}><a href="${toHref(url, { sort, page: undefined })}">${label}</a></th>`
}

function toLink(resource: Resource, record: StoredRecord) {
  return { label: toRecordName(resource, record), href: `${resource.path}/${record.id}` }
}

function listRow(resource: Resource, columns: readonly Field[], record: StoredRecord): Html {
  const { label, href } = toLink(resource, record)
  const [, ...others] = columns
  const cells = others.map((field) => {
    const value = findValue(record.document, field.name)
    if (field.kind === 'number') return html`<td class="number">${valueToText(value)}</td>`
    const isLong = field.kind === 'long text' || typeof value === 'object'
    return html`<td class="words">${isLong ? toExcerpt(valueToText(value)) : valueToHtml(field, value)}</td>`
  })
  return html`<tr><th scope="row"><a href="${href}">${label}</a></th>${cells}<td>${time(record.createdAt)}</td></tr>
`
}

function toExcerpt(text: string): string {
  // By code points, so that no surrogate pair is cut in two.
  const [start = ''] = /^.{0,120}/su.exec(text) ?? []
  return start === text ? text : `${start.trimEnd()}…`
}

function emptyList(resource: Resource, list: ListView): Html {
  const { path, singular, title } = resource
  const { query, url, total = 0, links, flash } = list
  const isFiltered = url === undefined || toConditions(resource, url.parameters).length > 0
  if (!isFiltered && total === 0) {
    return html`${flash ?? ''}<div class="empty"><p>There are no ${title.toLowerCase()} yet.</p>
<p><a class="button" href="${path}/new">New ${singular}</a></p></div>`
  }
  const message = total > 0 ? 'This page is empty.' : `No ${title.toLowerCase()} match.`
  const page = query.part?.page
  return html`${controls(resource, list)}<div class="empty"><p>${message}</p>
<p><a href="${path}">Show all ${title.toLowerCase()}</a></p></div>
${page ? pagingLinks(links, { page, total }) : ''}`
}

function listEnd(resource: Resource, list: ListView, shown: number): Html {
  const { query, url, links, total = shown } = list
  const page = query.part?.page
  return html`<div class="listing-end">
${countLine(resource, query, { shown, total })}${page ? pagingLinks(links, { page, total }) : ''}${url ? otherTypes(resource, url) : ''}</div>`
}
