import { pluralize as plural1, singularize as singular1 } from 'inflection'
import pluralize from 'pluralize'
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

/** The libraries of the two versions disagree about some names, such as `analyses`. */
const words = { '0.17': pluralize, '1': { singular: singular1, plural: plural1 } } as const

export function toSingular({ version }: Context, name: string): string {
  return words[version].singular(name)
}

export function toPlural({ version }: Context, name: string): string {
  return words[version].plural(name)
}

/** The field of other lists that refers to this one: `postId`. */
export function toKey(context: Context): string {
  const { config, resource } = context
  return toSingular(context, resource.name) + config.foreignKeySuffix
}

/** Version 1 shows every id as text. No version shows a password. */
export function toShown(context: Context, { document, id }: StoredRecord): Document {
  const { passwords, idName, isSingular } = context.resource
  const isText = isVersion1(context) && !isSingular
  if (!isText && passwords.length === 0) return document
  const hidden = Object.fromEntries(passwords.map(({ name }) => [name, undefined]))
  return { ...document, ...(isText && { [idName]: id }), ...hidden }
}
