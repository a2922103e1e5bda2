import { formatCount } from '../../config/format-count.ts'
import { html, type Html } from '../../site/html.ts'
import { allRecords, type Document, type StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath, type Relation, type ResourceContext } from '../context.ts'
import type { Field, Resource } from '../definition.ts'
import { renderCell } from '../list/cell.ts'
import { findCellValue, toCellClass, toColumns } from '../list/columns.ts'
import { toLower, toRecordName, valueToInputText } from '../field-values.ts'
import { toHref } from '../../lists/parameters.ts'
import type { ListFilter } from '../../lists/filters.ts'
import { findByIds } from '../../lists/select.ts'
import { parseId } from '../write/create-numbered.ts'
import { findReferenced, loadParents, toChildFilter, type ToParentLink } from './relations.ts'

type Relations = readonly Relation[]
export async function loadRelatedHtml(
  { relations, config }: ResourceContext,
  record: StoredRecord,
) {
  const toParentLink = await loadParentLinks(relations, [record])
  const children: Html[] = []
  for (const relation of relations) {
    if (!relation.isToParent && !relation.other.resource.isSingular)
      children.push(await loadChildList(relation, record, config.readOnly))
  }
  return { toParentLink, children }
}

export async function loadParentLinks(relations: Relations, records: readonly StoredRecord[]) {
  const links = new Map<string, ReadonlyMap<string, Html>>()
  for (const relation of relations.filter(({ isToParent }) => isToParent)) {
    const { resource } = relation.other
    const parents = await loadParents(relation, records)
    const ofIds = parents.map((parent) => [parent.id, renderLink(resource, parent)] as const)
    links.set(relation.field, new Map(ofIds))
  }
  return (record: StoredRecord, field: string) =>
    links.get(field)?.get(findReferenced(record, field) ?? '')
}

/** Returns the name of the parent that a filter has the id of. */
export type ToParentName = (field: string, id: string) => string | undefined

export async function loadParentNames(
  relations: Relations,
  filters: readonly Pick<ListFilter, 'field' | 'items'>[],
): Promise<ToParentName> {
  const names = new Map<string, string>()
  for (const { isToParent, field, other } of relations) {
    const own = isToParent ? filters.filter((filter) => String(filter.field.path) === field) : []
    const parents = await findByIds(
      other.collection,
      own.flatMap(({ items }) => items),
    )
    for (const parent of parents.values())
      names.set(`${field} ${parent.id}`, toRecordName(other.resource, parent))
  }
  return (field, id) => names.get(`${field} ${id}`)
}

function renderLink(resource: Resource, record: StoredRecord): Html {
  return html`<a href="${toRecordPath(resource, record.id)}">${toRecordName(resource, record)}</a>`
}

const [maxShown, maxColumns] = [10, 5]

async function loadChildList(
  { field, other }: Relation,
  { id }: StoredRecord,
  isReadOnly: boolean,
): Promise<Html> {
  const { resource, collection } = other
  const query = { filters: [toChildFilter({ field }, [id])], sort: [] }
  const first = await collection.list(query, { offset: 0, limit: maxShown + 1 })
  const count = first.length > maxShown ? await collection.count(query) : first.length
  const parameters = new Map([[field, [id]]])
  const children = first.slice(0, maxShown)
  const toParentLink = await loadParentLinks(other.relations, children)
  const columns = toColumns(resource).shown.filter((column) => column.name !== field)
  const table = renderTable(resource, children, {
    columns: columns.slice(0, maxColumns),
    relations: other.relations,
    toParentLink,
  })
  const shownCount = formatCount(count, resource.singular, toLower(resource.title))
  const listed = toHref({ path: resource.path, parameters })
  const create = html`
<a class="button second" href="${toHref({ path: `${resource.path}/new`, parameters })}">New ${resource.singular}</a>`
  return html`<section><h2>${resource.title}</h2>
${count > 0 ? table : ''}<p class="actions"><a href="${listed}">${count > maxShown ? 'All ' : ''}${shownCount}</a>${isReadOnly ? '' : create}</p></section>
`
}

interface Table {
  columns: readonly Field[]
  relations: Relations
  toParentLink: ToParentLink
}

function renderTable(
  resource: Resource,
  records: readonly StoredRecord[],
  { columns, relations, toParentLink }: Table,
): Html {
  const others = columns.slice(1)
  const toCell = (record: StoredRecord, field: Field) => {
    const { content, title } = renderCell(field, findCellValue(record, field))
    const link = toParentLink(record, field.name)
    return html`<td${toCellClass(field, relations)} dir="auto"${title === undefined ? '' : html` title="${title}"`}>${link ?? content}</td>`
  }
  const rows = records.map((record) => {
    return html`<tr><th scope="row" dir="auto">${renderLink(resource, record)}</th>${others.map((field) => toCell(record, field))}</tr>\n`
  })
  return html`<div class="table brief"><table>
<thead><tr>${columns.map((field) => html`<th scope="col"${toCellClass(field, relations)}>${field.label}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`
}

export interface Choices {
  options: readonly (readonly [value: string, name: string])[]
  isComplete: boolean
  /** The name of the current value, if the options are not all. */
  chosen?: string | undefined
}

const maxChoices = 100

export async function loadChoices(
  { resource, relations }: ResourceContext,
  { values }: { values: Document },
) {
  const choices = new Map<string, Choices>()
  for (const relation of relations) {
    const { isToParent, field: name, other } = relation
    const field = resource.fields.find((known) => known.name === name)
    if (!isToParent || !field) continue
    const part = { offset: 0, limit: maxChoices + 1 }
    const records = await other.collection.list(allRecords, part)
    const options = records.map((record) => {
      const value = valueToInputText(field, parseId(other.resource, record.id))
      return [value, toRecordName(other.resource, record)] as const
    })
    const sorted = options.toSorted(([, one], [, two]) => one.localeCompare(two, 'en'))
    const isComplete = records.length <= maxChoices
    const [parent] = isComplete ? [] : await loadParents(relation, [{ document: values }])
    const chosen = parent && toRecordName(other.resource, parent)
    choices.set(name, { options: sorted, isComplete, chosen })
  }
  return choices
}
