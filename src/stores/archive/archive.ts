import { createHash } from 'node:crypto'
import { findJson } from '../../config/find-json.ts'
import { isObject } from '../../config/is-object.ts'
import type { Files, SavedFile } from '../files/files.ts'
import { collectionNames } from '../collection-names.ts'
import { isStorable, type Document, type StoredRecord } from '../records/records.ts'
import { toReason } from '../store-failure.ts'

/** The format of the lines of an archive. A reader rejects a later one. */
export const archiveVersion = 1

export const archiveStart = '{"vitrine":"archive","version":'

export type ArchivedRecord = StoredRecord & { collection: string }

export interface ArchiveLine {
  record?: unknown
  piece?: unknown
  /** The pieces before this line are not the file of the record, which is then not restored. */
  isLost?: unknown
}

export interface Archivable {
  /** Reads the records of one moment, on a connection of its own. The load of a data file is the first record. */
  read: () => AsyncIterable<ArchivedRecord>
  /** Replaces all records in one transaction, which changes nothing if `records` throws. */
  replace: (records: AsyncIterable<ArchivedRecord>) => Promise<void>
}

/**
 * The collections whose records have a file with the same id. A data file can have resources of these names,
 * whose records have none: `load` is the stored document that names its resources, or its text.
 */
export function toFileCollections(fileCollections: readonly string[], load: unknown): string[] {
  const names = toDataNames(typeof load === 'string' ? findJson(load) : load)
  return fileCollections.filter((name) => !names.includes(name))
}

/** The names of the resources of a data file, whose load is the first record of an archive. */
export function toDataNames(load: unknown): string[] {
  const { definitions } = isObject(load) ? load : {}
  const all: unknown[] = Array.isArray(definitions) ? definitions : []
  return all.flatMap((each) => (isObject(each) && typeof each.name === 'string' ? each.name : []))
}

/** Whether each record in turn has a file. */
export function createHasFile(fileCollections: readonly string[]) {
  let names = fileCollections
  return ({ collection, document }: ArchivedRecord): boolean => {
    if (collection === collectionNames.dataFile)
      names = toFileCollections(fileCollections, document)
    return names.includes(collection)
  }
}

export type CheckRecord = (collection: string, id: string, document: Document) => void

export interface ArchiveOptions {
  files: Files
  /** The collections whose records have a file with the same id. */
  fileCollections: readonly string[]
  checkRecord: CheckRecord
}

/** Throws unless each member, except the document, is one that a database of Vitrine can contain. */
export function parseRecord(value: unknown): ArchivedRecord {
  const { collection, id, document, version, createdAt, updatedAt } = isObject(value) ? value : {}
  const fail = (reason: string) => toDamage({ collection, id }, reason)
  if (typeof collection !== 'string' || !/^~?[\w-]{1,64}$/.test(collection))
    throw fail('the name of its resource is invalid')
  if (typeof id !== 'string' || !isStorable(id)) throw fail('its id is invalid')
  if (typeof version !== 'number' || !isVersion(version)) throw fail('its version is invalid')
  if (!isTime(createdAt) || !isTime(updatedAt)) throw fail('one of its times is invalid')
  if (!isObject(document)) throw fail('its document is not a JSON object')
  return { collection, id, document, version, createdAt, updatedAt }
}

export function toDamage(record: { collection: unknown; id: unknown }, reason: unknown): Error {
  const name = `${String(record.collection)}/${String(record.id)}`.slice(0, 100)
  const message = `its record ${JSON.stringify(name)} is damaged: ${toReason(reason)}`
  return new Error(message, { cause: reason })
}

/** A version grows with each change, and must stay a safe integer. */
const isVersion = (version: number) =>
  Number.isInteger(version) && version >= 1 && version <= Number.MAX_SAFE_INTEGER / 2

function isTime(value: unknown): value is string {
  const date = new Date(String(value))
  return !Number.isNaN(date.getTime()) && date.toISOString() === value
}

export function toSavedFile({ document }: ArchivedRecord): SavedFile {
  return { size: Number(document.size ?? NaN), sha256: String(document.sha256) }
}

export function createCheck({ size, sha256 }: SavedFile) {
  const hash = createHash('sha256')
  let length = 0
  return {
    take: (piece: Buffer) => {
      hash.update(piece)
      length += piece.length
    },
    isWhole: () => length === size && hash.digest('hex') === sha256,
  }
}

export async function isContentOf(
  saved: SavedFile,
  content: AsyncIterable<Buffer>,
): Promise<boolean> {
  const { take, isWhole } = createCheck(saved)
  for await (const piece of content) take(piece)
  return isWhole()
}
