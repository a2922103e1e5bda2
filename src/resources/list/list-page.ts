import { html, type Html } from '../../site/html.ts'
import type { Link } from '../../http/response/links.ts'
import { pageAround, time } from '../../site/page.ts'
import type { Pages, StoredRecord } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { toConditions, toHref, toLabel, type ListUrl } from './list-url.ts'
import { conditionList, countLine, otherTypes, pagingLinks, searchForm } from './list-controls.ts'
import type { ListQuery } from './list-query.ts'
import { toName } from '../record/record-name.ts'
import { toRepresentation } from '../record/representations.ts'

/** A list as its page shows it. */
export interface ListView {
  query: ListQuery
  pages: Pages
  /** Undefined where the list has none, as when a QUERY says more than an address can. */
  address?: ListUrl | undefined
  /** To the other pages. */
  links: readonly Link[]
  /** How many all pages have together; undefined for a list that is shown whole. */
  total?: number | undefined
  /** What is said once, above the rest. */
  flash: Html | undefined
}

/** The page of a list, in pieces: its opening, a piece for every page of records, its closing. */
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
    for (const record of records) {
      figure?.add(record, {
        label: toName(resource, record),
        href: `${resource.path}/${record.id}`,
      })
    }
    yield records.map((record) => listRow(resource, columns, record).markup).join('')
  }
  if (shown === 0) yield html`${opening}${emptyList(resource, list)}${closing}`.markup
  else {
    yield html`</tbody></table></section>
${figure?.toHtml() ?? ''}</div>
${listEnd(resource, list, shown)}${closing}`.markup
  }
}

function controls(resource: Resource, { query, address, flash }: ListView): Html {
  const { path, singular } = resource
  return html`${flash ?? ''}<div class="listing-head">
${address ? searchForm(resource, address, { page: query.part?.page }) : ''}<p><a class="button" href="${path}/new">New ${singular}</a></p>
</div>
${address ? conditionList(resource, address) : ''}`
}

function tableHead(resource: Resource, columns: readonly Field[], list: ListView): Html {
  const names = [...columns.map(({ name }) => name), 'createdAt']
  const numbers = columns.flatMap(({ name, kind }) => (kind === 'number' ? [name] : []))
  return html`<div class="listing"><section class="table" tabindex="0" aria-label="${resource.title}"><table>
<thead><tr>${names.map((name) => columnHead(resource, { name, isNumber: numbers.includes(name) }, list))}</tr></thead>
<tbody>
`
}

/** The heading of a column: a link that orders by it, or the other way where that is so already. */
function columnHead(
  resource: Resource,
  { name, isNumber }: { name: string; isNumber: boolean },
  { query, address }: ListView,
): Html {
  const label = toLabel(resource, name)
  const kind = isNumber ? html` class="number"` : ''
  const [first = { field: 'createdAt', isDescending: false }] = query.records.sort
  const isFirst = first.field === name
  const direction = first.isDescending ? 'descending' : 'ascending'
  const order = isFirst ? html` aria-sort="${direction}"` : ''
  if (address === undefined) return html`<th scope="col"${kind}${order}>${label}</th>`
  const sort = isFirst && !first.isDescending ? `-${name}` : name
  return html`<th scope="col"${kind}${order}><a href="${toHref(address, { sort, page: undefined })}">${label}</a></th>`
}

function listRow(resource: Resource, columns: readonly Field[], record: StoredRecord): Html {
  const shown = toRepresentation(resource, record)
  const [, ...others] = columns
  const cells = others.map(({ name, kind }) => {
    const value = shown[name] ?? ''
    if (kind === 'number') return html`<td class="number">${value}</td>`
    return html`<td class="words">${kind === 'long text' ? toExcerpt(String(value)) : value}</td>`
  })
  return html`<tr><th scope="row"><a href="${resource.path}/${record.id}">${toName(resource, record)}</a></th>${cells}<td>${time(record.createdAt)}</td></tr>
`
}

/** The start of a text, which the page of the record has whole. */
function toExcerpt(text: string): string {
  // By code points: half of a pair is no character.
  const [start = ''] = /^.{0,120}/su.exec(text) ?? []
  return start === text ? text : `${start.trimEnd()}…`
}

function emptyList(resource: Resource, list: ListView): Html {
  const { path, singular, title } = resource
  const { query, address, total = 0, links, flash } = list
  const isAsked = address === undefined || toConditions(resource, address.parameters).length > 0
  if (!isAsked && total === 0) {
    return html`${flash ?? ''}<div class="empty"><p>There are no ${title.toLowerCase()} yet.</p>
<p><a class="button" href="${path}/new">New ${singular}</a></p></div>`
  }
  const why = total > 0 ? 'There is nothing this far on.' : `No ${singular} fits.`
  const page = query.part?.page
  return html`${controls(resource, list)}<div class="empty"><p>${why}</p>
<p><a href="${path}">Show all ${title.toLowerCase()}</a></p></div>
${page ? pagingLinks(links, { page, total }) : ''}`
}

function listEnd(resource: Resource, list: ListView, shown: number): Html {
  const { query, address, links, total = shown } = list
  const page = query.part?.page
  return html`<div class="listing-end">
${countLine(resource, query, { shown, total })}${page ? pagingLinks(links, { page, total }) : ''}${address ? otherTypes(resource, address) : ''}</div>`
}
