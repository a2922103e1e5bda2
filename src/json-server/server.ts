import type { ResourceContext } from '../resources/context.ts'
import type { Document, Records, StoredRecord } from '../stores/records/records.ts'

/** A resource of a file, in the dialect of one version of json-server. */
export interface Context extends ResourceContext {
  version: '0.17' | '1'
  /** Of all resources of the file. */
  contexts: readonly Context[]
  records: Records
}

export function isVersion1({ version }: Context): boolean {
  return version === '1'
}

export function findList({ contexts }: Context, name: string): Context | undefined {
  return contexts.find(({ resource }) => resource.name === name && !resource.isSingular)
}

/** The field of other lists that refers to this one: `postId`. */
export function toKey({ config, resource }: Context): string {
  return resource.key + config.foreignKeySuffix
}

/** Version 1 shows every id as text. No version shows a password. */
export function toShown(context: Context, { document, id }: StoredRecord): Document {
  const { passwords, idName, isSingular } = context.resource
  const isText = isVersion1(context) && !isSingular
  if (!isText && passwords.length === 0) return document
  const hidden = Object.fromEntries(passwords.map(({ name }) => [name, undefined]))
  return { ...document, ...(isText && { [idName]: id }), ...hidden }
}
