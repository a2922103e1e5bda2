import { html, type Html } from '../../site/html.ts'
import { renderPageAround, renderTime } from '../../site/page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import type { Field, Resource } from '../definition.ts'
import { findValue, toRecordName, valueToHtml, valueToText } from '../field-values.ts'
import {
  conditionList,
  countLine,
  otherTypes,
  pagingLinks,
  searchForm,
  type ListView,
} from './list-controls.ts'
import { firstPage, toHref } from './list-parameters.ts'

export async function* listPage(resource: Resource, list: ListView): AsyncGenerator<string> {
  const { opening, closing } = renderPageAround(list.place, { title: resource.title })
  const figure = resource.createFigure?.()
  let shown = 0
  for await (const records of list.pages) {
    if (records.length === 0) continue
    if (shown === 0)
      yield html`${opening}${controls(resource, list)}${tableHead(resource, list)}`.markup
    shown += records.length
    for (const record of records) figure?.add(record, toLink(resource, record))
    yield records.map((record) => listRow(resource, record).markup).join('')
  }
  if (shown === 0) yield html`${opening}${emptyList(resource, list)}${closing}`.markup
  else {
    yield html`</tbody></table></section>
${figure?.toHtml() ?? ''}</div>
<div class="listing-end">
${countLine(resource, list, shown)}${pagingLinks(list)}${list.url ? otherTypes(resource, list.url) : ''}</div>${closing}`
      .markup
  }
}

function controls(resource: Resource, { query, url, flash }: ListView): Html {
  const { path, singular } = resource
  return html`${flash ?? ''}<div class="listing-head">
${url ? searchForm(resource, url, query) : ''}<p><a class="button" href="${path}/new">New ${singular}</a></p>
</div>
${url ? conditionList(resource, url, query) : ''}`
}

function tableHead({ title, readable, visible }: Resource, list: ListView): Html {
  const columns = [...readable, ...visible.slice(-2, -1)]
  return html`<div class="listing"><section class="table" tabindex="0" aria-label="${title}"><table>
<thead><tr>${columns.map((column) => columnHead(column, list))}</tr></thead>
<tbody>
`
}

function columnHead({ name, label, kind }: Field, { query, url }: ListView): Html {
  const [first = { field: 'createdAt', isDescending: false }] = query.records.sort
  const isFirst = first.field === name
  const direction = first.isDescending ? 'descending' : 'ascending'
  const attributes = html`scope="col"${kind === 'number' ? html` class="number"` : ''}${isFirst ? html` aria-sort="${direction}"` : ''}`
  if (url === undefined) return html`<th ${attributes}>${label}</th>`
  const sort = isFirst && !first.isDescending ? `-${name}` : name
  return html`<th ${attributes}><a href="${toHref(url, { sort, ...firstPage })}">${label}</a></th>`
}

function toLink(resource: Resource, record: StoredRecord) {
  return { label: toRecordName(resource, record), href: `${resource.path}/${record.id}` }
}

function listRow(resource: Resource, record: StoredRecord): Html {
  const { label, href } = toLink(resource, record)
  const cells = resource.readable.slice(1).map((field) => {
    const value = findValue(record.document, field.name)
    if (field.kind === 'number') return html`<td class="number">${valueToText(value)}</td>`
    const isLong = field.kind === 'long text' || typeof value === 'object'
    return html`<td class="words">${isLong ? toExcerpt(valueToText(value)) : valueToHtml(field, value)}</td>`
  })
  return html`<tr><th scope="row"><a href="${href}">${label}</a></th>${cells}<td>${renderTime(record.createdAt)}</td></tr>
`
}

function toExcerpt(text: string): string {
  // By code points, so that no surrogate pair is cut in two.
  const [start = ''] = /^.{0,120}/su.exec(text) ?? []
  return start === text ? text : `${start.trimEnd()}…`
}

function emptyList(resource: Resource, list: ListView): Html {
  const { path, singular } = resource
  const { query, total = 0, flash } = list
  const title = resource.title.toLowerCase()
  if (total === 0 && query.filters.length === 0 && query.records.search === undefined) {
    return html`${flash ?? ''}<div class="empty"><p>There are no ${title} yet.</p>
<p><a class="button" href="${path}/new">New ${singular}</a></p></div>`
  }
  return html`${controls(resource, list)}<div class="empty"><p>${total > 0 ? 'There is no such page.' : `No ${title} match.`}</p>
<p><a href="${path}">Show all ${title}</a></p></div>
${pagingLinks(list)}`
}
