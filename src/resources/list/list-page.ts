import { formatCount, formatNumber } from '../../config/format-count.ts'
import { firstPage, toHref } from '../../lists/parameters.ts'
import { html, type Html } from '../../site/html.ts'
import { renderPageAround } from '../../site/page.ts'
import type { StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { toLower, toRecordName } from '../field-values.ts'
import { loadParentLinks, loadParentNames } from '../relations/related-html.ts'
import { createRows, hasMenus, toCellClass, toColumns, type Columns } from './columns.ts'
import { renderViewBar } from './list-menus.ts'
import {
  countLine,
  otherTypes,
  renderChips,
  renderPagingLinks,
  renderSearchForm,
} from './list-controls.ts'
import type { ListView } from './list-controls.ts'

export async function* listPage(
  resource: Resource,
  given: Omit<ListView, 'toParentName'>,
): AsyncGenerator<string> {
  const list = {
    ...given,
    toParentName: await loadParentNames(given.relations, given.query.filters),
  }
  const { query, url } = list
  const number = query.part?.page?.number ?? 1
  const title = number === 1 ? resource.title : `${resource.title}, page ${String(number)}`
  const files = { styles: ['lists.css'], scripts: ['records.js'] }
  const frame = { title, heading: resource.title, ...files }
  const { opening, closing } = renderPageAround(list.place, frame)
  const figure = resource.createFigure?.()
  const columns = toColumns(resource, query.fields)
  const toRows = createRows(resource, columns.shown, list)
  let shown = 0
  for await (const records of list.pages) {
    if (records.length === 0) continue
    for (const record of records) figure?.add(record, toLink(resource, record))
    if (shown === 0) {
      const hasFigure = (figure?.toHtml().markup ?? '') !== ''
      const head = tableHead(resource, list, { columns, hasFigure })
      yield html`${opening}${controls(resource, list, columns)}${renderViewBar(resource, list, columns)}${head}`
        .markup
    }
    shown += records.length
    const toParentLink = await loadParentLinks(list.relations, records)
    yield `<tbody>\n${toRows(records, toParentLink)}</tbody>\n`
  }
  if (shown === 0) yield html`${opening}${emptyList(resource, list, columns)}${closing}`.markup
  else {
    const toFiltered = (changes: Readonly<Record<string, string>>) =>
      url && toHref(url, { ...changes, ...firstPage })
    yield html`</table></section>
${figure?.toHtml(toFiltered) ?? ''}</div>
${countLine(resource, list, shown)}<div class="listing-end">
${renderPagingLinks(list)}${url ? otherTypes(resource, url) : ''}</div>${closing}`.markup
  }
}

function controls(resource: Resource, list: ListView, columns: Columns): Html {
  const { query, url, flash, isReadOnly } = list
  const { path, singular } = resource
  const create = html`<a class="button" href="${path}/new">New ${singular}</a>`
  return html`${flash ?? ''}<div class="listing-head">
${url ? renderSearchForm(resource, url, query) : ''}${isReadOnly ? '' : create}
</div>
${renderChips(resource, list, columns)}`
}

/** A figure follows the rows, and is shown above or beside them: they leave space for it. */
function tableHead(
  { title }: Resource,
  list: ListView,
  { columns, hasFigure }: { columns: Columns; hasFigure: boolean },
): Html {
  const { shown } = columns
  const url = list.url && hasMenus(columns, list.url) ? list.url : undefined
  const scrolls = shown.length > narrowColumns ? html` tabindex="0"` : ''
  return html`<div class="listing${hasFigure ? ' figured' : ''}"><section class="table${shown.length > wideColumns ? ' wide' : ''}"${scrolls} aria-label="${title}"><table>
<thead><tr>${list.isReadOnly ? '' : selectAll}${shown.map((column, index) => columnHead(column, index, { ...list, url }))}</tr></thead>
`
}

const selectAll = html`<td class="pick"><input type="checkbox" class="scripted" aria-label="Select all"></td>`

const [narrowColumns, wideColumns] = [5, 8]

function columnHead(column: Field, index: number, list: ListView): Html {
  const { name, label } = column
  const { query, url } = list
  const [first = { field: 'createdAt', isDescending: false }] = query.records.sort
  const isFirst = [first.field].flat().join('.') === name
  const direction = first.isDescending ? 'descending' : 'ascending'
  const attributes = html`scope="col"${toCellClass(column, list.relations)}${isFirst ? html` aria-sort="${direction}"` : ''}`
  if (url === undefined) return html`<th ${attributes}>${label}</th>`
  const sort = isFirst && !first.isDescending ? `-${name}` : name
  return html`<th ${attributes}><a href="${toHref(url, { sort, ...firstPage })}">${label}</a><button type="button" class="more" popovertarget="column-${index}" aria-label="${label}: filter, sort, hide">⋮</button></th>`
}

function toLink(resource: Resource, record: StoredRecord) {
  return { label: toRecordName(resource, record), href: toRecordPath(resource, record.id) }
}

function emptyList(resource: Resource, list: ListView, columns: Columns): Html {
  const { path, singular } = resource
  const { query, total = 0, flash, isReadOnly } = list
  const title = toLower(resource.title)
  const all = html`<a class="button second" href="${path}">Show all ${title}</a>`
  if (total > 0)
    return html`${controls(resource, list, columns)}${missingPage(resource, list, all)}`
  if (query.filters.length === 0 && query.records.search === undefined) {
    const create = html`<p>Create the first one here, or send <code>POST ${path}</code>.</p>
<p><a class="button" href="${path}/new">New ${singular}</a></p>`
    return html`${flash ?? ''}<div class="empty"><h2>There are no ${title} yet.</h2>
${isReadOnly ? '' : create}</div>`
  }
  return html`${controls(resource, list, columns)}<div class="empty"><h2>No ${title} match.</h2>
<p>Remove a filter or change the search.</p>
<p>${all}</p></div>
`
}

function missingPage({ singular, title }: Resource, list: ListView, all: Html): Html {
  const { query, total = 0 } = list
  const { number, size = 1 } = query.part?.page ?? {}
  const count = formatCount(total, singular, toLower(title))
  const pages = number ? ` on ${formatCount(Math.ceil(total / size), 'page')}` : ''
  return html`<div class="empty"><h2>There is no such page.</h2>
<p>${number ? `Page ${formatNumber(number)} was requested. ` : ''}The list has ${count}${pages}.</p>
<p>${all}</p></div>
${renderPagingLinks(list)}`
}
