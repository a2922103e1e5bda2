import { formatCount } from '../../config/format-count.ts'
import { firstPage, toHref } from '../../lists/parameters.ts'
import { html, type Html } from '../../site/html.ts'
import { renderPageAround, renderTime } from '../../site/page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { capitalize, findValue, toRecordName, valueToHtml, valueToText } from '../field-values.ts'
import { loadParentLinks, type ToParentLink } from '../relations/related-html.ts'
import {
  renderConditionList,
  countLine,
  otherTypes,
  renderPagingLinks,
  renderSearchForm,
} from './list-controls.ts'
import type { ListView } from './list-controls.ts'

export async function* listPage(resource: Resource, list: ListView): AsyncGenerator<string> {
  const { query, url } = list
  const number = query.part?.page?.number ?? 1
  const title = number === 1 ? resource.title : `${resource.title}, page ${String(number)}`
  const files = { styles: ['lists.css'], scripts: ['records.js'] }
  const frame = { title, heading: resource.title, ...files }
  const { opening, closing } = renderPageAround(list.place, frame)
  const figure = resource.createFigure?.()
  const toRow = createRow(resource, list)
  let shown = 0
  for await (const records of list.pages) {
    if (records.length === 0) continue
    if (shown === 0)
      yield html`${opening}${controls(resource, list)}${tableHead(resource, list)}`.markup
    shown += records.length
    for (const record of records) figure?.add(record, toLink(resource, record))
    const toParentLink = await loadParentLinks(list.relations, records)
    const rows = records.map((record) => toRow(record, toParentLink))
    yield `<tbody>\n${rows.join('')}</tbody>\n`
  }
  if (shown === 0) yield html`${opening}${emptyList(resource, list)}${closing}`.markup
  else {
    const toFiltered = (changes: Readonly<Record<string, string>>) =>
      url && toHref(url, { ...changes, ...firstPage })
    yield html`</table></section>
${figure?.toHtml(toFiltered) ?? ''}</div>
${countLine(resource, list, shown)}<div class="listing-end">
${renderPagingLinks(list)}${url ? otherTypes(resource, url) : ''}</div>${closing}`.markup
  }
}

function controls(resource: Resource, { query, url, flash }: ListView): Html {
  const { path, singular } = resource
  return html`${flash ?? ''}<div class="listing-head">
${url ? renderSearchForm(resource, url, query) : ''}<a class="button" href="${path}/new">New ${singular}</a>
</div>
${url ? renderConditionList(resource, url, query) : ''}`
}

/** The name, the other fields, and the time of the creation or else the id, which can also be the name. */
function toColumns(resource: Resource): readonly Field[] {
  const { namedBy, readable, visible, times, singular } = resource
  const [id] = visible
  const naming = namedBy === '' ? id && { ...id, label: capitalize(singular) } : resource.naming
  const others = readable.filter((field) => field !== naming)
  return [naming ?? id, ...others, times[0] ?? id].filter((field) => field !== undefined)
}

/** With more columns the table scrolls sideways. */
const narrowColumns = 7

function tableHead(resource: Resource, list: ListView): Html {
  const { title } = resource
  const columns = toColumns(resource)
  const isWide = columns.length > narrowColumns
  return html`<div class="listing"><section class="table"${isWide ? html` tabindex="0"` : ''} aria-label="${title}"><table>
<thead><tr>${columns.map((column) => columnHead(column, list))}</tr></thead>
`
}

/** A number that is shown as the name of a parent is text. */
function toAlignment({ name, kind }: Field, { relations }: ListView): Html {
  const isName = relations.some(({ isToParent, field }) => isToParent && field === name)
  return kind === 'number' && !isName ? html` class="number"` : html``
}

function columnHead(column: Field, list: ListView): Html {
  const { name, label } = column
  const { query, url } = list
  const [first = { field: 'createdAt', isDescending: false }] = query.records.sort
  const isFirst = [first.field].flat().join('.') === name
  const direction = first.isDescending ? 'descending' : 'ascending'
  const attributes = html`scope="col"${toAlignment(column, list)}${isFirst ? html` aria-sort="${direction}"` : ''}`
  if (url === undefined) return html`<th ${attributes}>${label}</th>`
  const sort = isFirst && !first.isDescending ? `-${name}` : name
  return html`<th ${attributes}><a href="${toHref(url, { sort, ...firstPage })}">${label}</a></th>`
}

function toLink(resource: Resource, record: StoredRecord) {
  return { label: toRecordName(resource, record), href: toRecordPath(resource, record.id) }
}

/** The cells of all rows begin alike. On small screens each shows its label. */
function createRow(resource: Resource, list: ListView) {
  const cells = toColumns(resource)
    .slice(1, -1)
    .map((field) => {
      const opening = html`<td${toAlignment(field, list)} data-label="${field.label}">`
      return { field, opening }
    })
  return (record: StoredRecord, toParentLink: ToParentLink): string => {
    const { label, href } = toLink(resource, record)
    let row = html`<tr><th scope="row"><a href="${href}">${label}</a></th>`.markup
    for (const { field, opening } of cells) {
      const value = findValue(record.document, field.name)
      const content = toParentLink(record, field.name) ?? toCell(field, value)
      row += `${opening.markup}${content.markup}</td>`
    }
    const last = resource.hasTimes
      ? html`<td data-label="Created">${renderTime(record.createdAt)}</td>`
      : html`<td data-label="Id"><code>${record.id}</code></td>`
    return `${row}${last.markup}</tr>\n`
  }
}

function toCell(field: Field, value: unknown): Html {
  const isLong = (typeof value === 'object' && value !== null) || field.kind === 'long text'
  return isLong ? html`${toExcerpt(valueToSummary(value))}` : valueToHtml(field, value)
}

/** The page of the record has the whole list or object. */
function valueToSummary(value: unknown): string {
  if (typeof value !== 'object' || value === null) return valueToText(value)
  const values: unknown[] = Object.values(value)
  const isList = Array.isArray(value)
  const hasTexts = isList && !values.some((item) => typeof item === 'object' && item !== null)
  if (hasTexts) return values.map(valueToText).join(', ')
  return formatCount(values.length, isList ? 'item' : 'field')
}

function toExcerpt(text: string): string {
  // The text is cut between code points, so that no surrogate pair is cut in two.
  const [start = ''] = /^.{0,120}/su.exec(text) ?? []
  return start === text ? text : `${start.trimEnd()}…`
}

function emptyList(resource: Resource, list: ListView): Html {
  const { path, singular } = resource
  const { query, total = 0, flash } = list
  const title = resource.title.toLowerCase()
  if (total === 0 && query.filters.length === 0 && query.records.search === undefined) {
    return html`${flash ?? ''}<div class="empty"><h2>There are no ${title} yet.</h2>
<p>Create the first one here, or send <code>POST ${path}</code>.</p>
<p><a class="button" href="${path}/new">New ${singular}</a></p></div>`
  }
  const reason =
    total > 0
      ? html`<h2>There is no such page.</h2>
<p>It would begin after the last of ${formatCount(total, singular, title)}.</p>`
      : html`<h2>No ${title} match.</h2>
<p>Remove a filter or change the search.</p>`
  return html`${controls(resource, list)}<div class="empty">${reason}
<p><a class="button second" href="${path}">Show all ${title}</a></p></div>
${renderPagingLinks(list)}`
}
