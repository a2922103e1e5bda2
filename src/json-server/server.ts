import type { Config } from '../config/config.ts'
import type { ResourceContext } from '../resources/context.ts'
import type { Document, Records, StoredRecord } from '../stores/records/records.ts'

/** The resources of a file, in the dialect of one version of json-server. */
export interface JsonServer {
  version: '0.17' | '1'
  config: Config
  contexts: readonly Context[]
  records: Records
}

export interface Context extends ResourceContext {
  server: JsonServer
}

export function isVersion1({ server }: Context): boolean {
  return server.version === '1'
}

export function findList({ server }: Context, name: string): Context | undefined {
  return server.contexts.find(({ resource }) => resource.name === name && !resource.isSingular)
}

/** The field of other lists that refers to this one: `postId`. */
export function toKey({ server, resource }: Context): string {
  return resource.key + server.config.foreignKeySuffix
}

/** Version 1 shows every id as text. No version shows a password. */
export function toShown(context: Context, { document, id }: StoredRecord): Document {
  const { passwords, idName, isSingular } = context.resource
  const isText = isVersion1(context) && !isSingular
  if (!isText && passwords.length === 0) return document
  const hidden = Object.fromEntries(passwords.map(({ name }) => [name, undefined]))
  return { ...document, ...(isText && { [idName]: id }), ...hidden }
}
