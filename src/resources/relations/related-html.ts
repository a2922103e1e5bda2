import { formatCount } from '../../config/format-count.ts'
import { Html, html } from '../../site/html.ts'
import { allRecords, type Document, type StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath, type Relation, type ResourceContext } from '../context.ts'
import type { Field } from '../definition.ts'
import { createRows, toCellClass, toColumns } from '../list/columns.ts'
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

export async function loadParentLinks(
  relations: Relations,
  records: readonly StoredRecord[],
): Promise<ToParentLink> {
  const find = await loadNamed(relations, (field) =>
    records.flatMap((record) => findReferenced(record, field) ?? []),
  )
  return (record, field) => find(field, findReferenced(record, field))?.link
}

/** Returns the name of the parent that a filter has the id of. */
export type ToParentName = (field: string, id: string) => string | undefined

export async function loadParentNames(
  relations: Relations,
  filters: readonly Pick<ListFilter, 'field' | 'items'>[],
): Promise<ToParentName> {
  const find = await loadNamed(relations, (field) =>
    filters.flatMap((filter) => (String(filter.field.path) === field ? filter.items : [])),
  )
  return (field, id) => find(field, id)?.name
}

interface Named {
  name: string
  link: Html
}

async function loadNamed(relations: Relations, findIds: (field: string) => readonly string[]) {
  const found = new Map<string, ReadonlyMap<string, Named>>()
  for (const { field, other } of relations.filter(({ isToParent }) => isToParent)) {
    const parents = [...(await findByIds(other.collection, findIds(field))).values()]
    const ofIds = parents.map((parent): [string, Named] => {
      const name = toRecordName(other.resource, parent)
      const path = toRecordPath(other.resource, parent.id)
      return [parent.id, { name, link: html`<a href="${path}">${name}</a>` }]
    })
    found.set(field, new Map(ofIds))
  }
  return (field: string, id: string | undefined) => found.get(field)?.get(id ?? '')
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
  const { shown } = toColumns(resource)
  const columns = shown.filter((column) => column.name !== field).slice(0, maxColumns)
  const toRows = createRows(resource, columns, { relations: other.relations, isReadOnly: true })
  const table = renderTable(toRows(children, toParentLink), columns, other.relations)
  const shownCount = formatCount(count, resource.singular, toLower(resource.title))
  const listed = toHref({ path: resource.path, parameters })
  const create = html`
<a class="button second" href="${toHref({ path: `${resource.path}/new`, parameters })}">New ${resource.singular}</a>`
  return html`<section><h2>${resource.title}</h2>
${count > 0 ? table : ''}<p class="actions"><a href="${listed}">${count > maxShown ? 'All ' : ''}${shownCount}</a>${isReadOnly ? '' : create}</p></section>
`
}

function renderTable(rows: string, columns: readonly Field[], relations: Relations): Html {
  const heads = columns.map(
    (field) => html`<th scope="col"${toCellClass(field, relations)}>${field.label}</th>`,
  )
  return html`<div class="table brief"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
${new Html(rows)}</tbody>
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
