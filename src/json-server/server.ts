import type { Config } from '../config/config.ts'
import type { ResourceContext } from '../resources/context.ts'
import type { Document, Records, StoredRecord } from '../stores/records/records.ts'

/** The resources of a file, in the dialect of one version of json-server. */
export interface JsonServer {
  version: '0.17' | '1'
  config: Pick<Config, 'foreignKeySuffix' | 'delayMs'>
  contexts: readonly ResourceContext[]
  records: Records
}

export function findList({ contexts }: JsonServer, name: string): ResourceContext | undefined {
  return contexts.find(({ resource }) => resource.name === name && !resource.isSingular)
}

/** Version 1 shows every id as text. No version shows a password. */
export function toShown(
  { version }: JsonServer,
  { resource }: ResourceContext,
  { document, id }: StoredRecord,
): Document {
  const { passwords, idName, isSingular } = resource
  const isText = version === '1' && !isSingular
  if (!isText && passwords.length === 0) return document
  const hidden = Object.fromEntries(passwords.map(({ name }) => [name, undefined]))
  return { ...document, ...(isText && { [idName]: id }), ...hidden }
}
