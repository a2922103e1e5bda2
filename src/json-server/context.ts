import { pluralize as plural1, singularize as singular1 } from 'inflection'
import pluralize from 'pluralize'
import type { ResourceContext } from '../resources/context.ts'
import type { Resource } from '../resources/definition.ts'
import { toChildFilter } from '../resources/relations/relations.ts'
import type { Document, RecordQuery, StoredRecord } from '../stores/records/records.ts'

export interface Context extends ResourceContext {
  version: '0.17' | '1'
  contexts: readonly Context[]
}

export const isVersion1 = ({ version }: Context): boolean => version === '1'

export function findList({ contexts }: Context, name: string): Context | undefined {
  return contexts.find(({ resource }) => resource.name === name && !resource.isSingular)
}

/** Express, which 0.17 uses, ignores the case of a path. */
export function findListOfPath(context: Context, name: string): Context | undefined {
  const isSame = (other: string) => other.toLowerCase() === name.toLowerCase()
  const similar = context.contexts.find(({ resource }) => isSame(resource.name))
  const isOther = isVersion1(context) || similar === undefined
  return findList(context, name) ?? (isOther ? undefined : findList(context, similar.resource.name))
}

/** The libraries of the two versions disagree about some names, such as `analyses`. */
const words = { '0.17': pluralize, '1': { singular: singular1, plural: plural1 } } as const

export function toSingular({ version }: Context, name: string): string {
  return words[version].singular(name)
}

export const toPlural = ({ version }: Context, name: string): string => words[version].plural(name)

export function toForeignKey(context: Context): string {
  const { config, resource } = context
  return toSingular(context, resource.name) + config.foreignKeySuffix
}

/** The first record with an id. Those after it have an id of their own in the store. */
export async function findRecord({ collection, resource }: Context, id: string) {
  const found = await collection.find(id)
  if (found || resource.isSingular) return found
  const [next] = await collection.list(toTwins(resource, id), { offset: 0, limit: 1 })
  return next
}

export async function isRepeated({ collection, resource }: Context, id: string): Promise<boolean> {
  return (await collection.count(toTwins(resource, id))) > 1
}

function toTwins({ idName }: Resource, id: string): RecordQuery {
  return { filters: [toChildFilter({ field: idName }, [id])], sort: [] }
}

/** Version 1 shows every id as text. No version shows a password. */
/** Kept records are shown many times. */
const shownDocuments = new WeakMap<StoredRecord, Document>()

export function toShown(context: Context, record: StoredRecord): Document {
  const known = shownDocuments.get(record)
  if (known) return known
  const { document, id } = record
  const { passwords, idName, isSingular } = context.resource
  const isText =
    isVersion1(context) &&
    !isSingular &&
    (!Object.hasOwn(document, idName) || typeof document[idName] === 'number')
  if (!isText && passwords.length === 0) return document
  const own = Object.hasOwn(document, idName) ? document[idName] : id
  const hidden = Object.fromEntries(passwords.map(({ name }) => [name, undefined]))
  const shown = { ...document, ...(isText && { [idName]: String(own) }), ...hidden }
  shownDocuments.set(record, shown)
  return shown
}
