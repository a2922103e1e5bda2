import type { ResourceContext } from '../resources/context.ts'
import {
  allRecords,
  isFieldValue,
  type Document,
  type FieldValue,
  type StoredRecord,
} from '../stores/records/records.ts'
import { findByIds, findUnknown } from './selection.ts'
import { findList, toShown, type JsonServer } from './server.ts'

type Documents = readonly Document[]

export interface Embedded {
  /** Resources that refer to this one; in 1 also the resources that it refers to, in the singular. */
  embed: readonly string[]
  /** Of 0.17: the resources that this one refers to, in the singular. */
  expand: readonly string[]
  /** Of `embed`: see `findEmpty`. */
  empty?: readonly string[]
}

/** The lists without a record that refers to this resource: they need not be searched for each page. */
export async function findEmpty(
  server: JsonServer,
  { resource }: ResourceContext,
  { embed }: Embedded,
): Promise<string[]> {
  const key = `${resource.singular}${server.config.foreignKeySuffix}`
  const empty: string[] = []
  for (const name of embed) {
    const children = findList(server, name)
    const isSearched = children && children.resource.indexed?.includes(key) !== true
    if (isSearched && (await findUnknown(children, [key])).has(key)) empty.push(name)
  }
  return empty
}

/** With one query for each name. */
export async function addRelated(
  server: JsonServer,
  context: ResourceContext,
  { documents, embed, expand, empty = [] }: Embedded & { documents: Documents },
): Promise<Documents> {
  let added = documents
  for (const name of embed) {
    const isParent = server.version === '1' && findParents(server, name) !== undefined
    added = isParent
      ? await addParent(server, added, name)
      : await addChildren(server, context, {
          documents: added,
          name,
          isEmpty: empty.includes(name),
        })
  }
  for (const name of expand) added = await addParent(server, added, name)
  return added
}

function findParents({ contexts }: JsonServer, name: string): ResourceContext | undefined {
  return contexts.find(({ resource }) => resource.singular === name && !resource.isSingular)
}

async function addParent(server: JsonServer, documents: Documents, name: string) {
  const parents = findParents(server, name)
  if (!parents) return documents
  // 0.17 compares ids as text. In 1 they are text, which is not equal to a number.
  const isKey = (value: unknown) =>
    typeof value === 'string' || (server.version === '0.17' && typeof value === 'number')
  const toId = (document: Document) => {
    const value = document[`${name}${server.config.foreignKeySuffix}`]
    return isKey(value) ? String(value) : undefined
  }
  const ids = documents.map(toId)
  const found = await findByIds(
    parents,
    ids.filter((id) => id !== undefined),
  )
  return documents.map((document, index) => {
    const parent = found.get(ids[index] ?? '')
    return { ...document, [name]: parent && toShown(server, parents, parent) }
  })
}

async function addChildren(
  server: JsonServer,
  { resource }: ResourceContext,
  { documents, name, isEmpty }: { documents: Documents; name: string; isEmpty: boolean },
) {
  const children = findList(server, name)
  if (!children && server.version === '1') return documents
  const key = `${resource.singular}${server.config.foreignKeySuffix}`
  const ids = documents.map((document) => document[resource.idName]).filter(isFieldValue)
  const found = new Map<unknown, Document[]>(ids.map((id) => [id, []]))
  for (const child of children && !isEmpty ? await findReferring(children, key, ids) : []) {
    if (children) found.get(child.document[key])?.push(toShown(server, children, child))
  }
  return documents.map((document) => ({
    ...document,
    [name]: found.get(document[resource.idName]) ?? [],
  }))
}

/** With more values, every record is read. */
const filteredValues = 200

/** The records whose field has one of these values. */
export async function findReferring(
  { collection }: ResourceContext,
  field: string,
  values: readonly FieldValue[],
): Promise<StoredRecord[]> {
  if (values.length === 0) return []
  const wanted = new Set<unknown>(values)
  const filters = [{ field: [field], operator: 'eq', values }] as const
  const query = values.length > filteredValues ? allRecords : { filters, sort: [] }
  const found: StoredRecord[] = []
  for await (const page of collection.pages(query)) {
    found.push(...page.filter(({ document }) => wanted.has(document[field])))
  }
  return found
}
