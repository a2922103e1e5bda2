import { formatCount } from '../../config/format-count.ts'
import { html, type Html } from '../../site/html.ts'
import { allRecords, type StoredRecord } from '../../stores/records/records.ts'
import { toRecordPath, type Relation, type ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { toLower, toRecordName, valueToInputText } from '../field-values.ts'
import { toHref } from '../../lists/parameters.ts'
import { parseId } from '../write/create-numbered.ts'
import { findReferenced, loadParents, toChildFilter } from './relations.ts'

type Relations = readonly Relation[]
/** Returns a link to the parent that a field of the record references. */
export type ToParentLink = (record: StoredRecord, field: string) => Html | undefined

export interface RelatedHtml {
  toParentLink: ToParentLink
  children: readonly Html[]
}

export async function loadRelatedHtml({ relations }: ResourceContext, record: StoredRecord) {
  const toParentLink = await loadParentLinks(relations, [record])
  const children: Html[] = []
  for (const relation of relations) {
    if (!relation.isToParent && !relation.other.resource.isSingular)
      children.push(await loadChildList(relation, record))
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

function renderLink(resource: Resource, record: StoredRecord): Html {
  return html`<a href="${toRecordPath(resource, record.id)}">${toRecordName(resource, record)}</a>`
}

const maxShown = 10

async function loadChildList({ field, other }: Relation, { id }: StoredRecord): Promise<Html> {
  const { resource, collection } = other
  const query = { filters: [toChildFilter({ field }, [id])], sort: [] }
  const first = await collection.list(query, { offset: 0, limit: maxShown + 1 })
  const count = first.length > maxShown ? await collection.count(query) : first.length
  const parameters = new Map([[field, [id]]])
  const children = first.slice(0, maxShown)
  // A record that only joins others is named by them.
  const joined = resource.naming ? [] : resource.references.filter((known) => known.field !== field)
  const toParentLink = await loadParentLinks(joined.length > 0 ? other.relations : [], children)
  const shown = children.map((child) => {
    const links = joined.map((reference) => html` ${toParentLink(child, reference.field) ?? ''}`)
    return html`<li>${renderLink(resource, child)}${links}</li>\n`
  })
  const shownCount = formatCount(count, resource.singular, toLower(resource.title))
  const listed = toHref({ path: resource.path, parameters })
  return html`<section><h2>${resource.title}</h2>
${shown.length > 0 ? html`<ul>\n${shown}</ul>\n` : ''}<p class="actions"><a href="${listed}">${shownCount}</a>
<a class="button second" href="${toHref({ path: `${resource.path}/new`, parameters })}">New ${resource.singular}</a></p></section>
`
}

export interface Choices {
  options: readonly (readonly [value: string, name: string])[]
  isComplete: boolean
}

const maxChoices = 100

export async function loadChoices({ resource, relations }: ResourceContext) {
  const choices = new Map<string, Choices>()
  for (const { isToParent, field: name, other } of relations) {
    const field = resource.fields.find((known) => known.name === name)
    if (!isToParent || !field) continue
    const part = { offset: 0, limit: maxChoices + 1 }
    const records = await other.collection.list(allRecords, part)
    const options = records.map((record) => {
      const value = valueToInputText(field, parseId(other.resource, record.id))
      return [value, toRecordName(other.resource, record)] as const
    })
    const sorted = options.toSorted(([, one], [, two]) => one.localeCompare(two, 'en'))
    choices.set(name, { options: sorted, isComplete: records.length <= maxChoices })
  }
  return choices
}
