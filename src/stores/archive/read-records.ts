import { collectionNames } from '../collection-names.ts'
import type { SqlDialect } from '../records/dialect.ts'
import { createLists } from '../records/lists.ts'
import { isOfPlace } from '../sandboxes/places.ts'
import { toFileCollections, type ArchivedRecord } from './archive.ts'

/** A start would reset restored records, if it read from them that a daily reset was due since the backup. */
const left: readonly string[] = [
  collectionNames.orphanedFiles,
  collectionNames.dailyReset,
  collectionNames.sandboxes,
  collectionNames.endedSandboxes,
  collectionNames.addressSecret,
]

export async function* readRecords(dialect: SqlDialect): AsyncGenerator<ArchivedRecord> {
  const rows = await dialect.run('SELECT DISTINCT resource FROM records ORDER BY resource', [])
  const names = rows.map(([name]) => String(name))
  const { dataFile } = collectionNames
  for (const collection of [dataFile, ...names.filter((name) => name !== dataFile)]) {
    if (left.includes(collection) || isOfPlace(collection)) continue
    for await (const page of createLists(dialect, collection).pages())
      yield* page.map((record) => ({ collection, ...record }))
  }
}

/** The load of a data file, which {@link toFileCollections} needs. */
export const selectLoad = `SELECT document FROM records WHERE resource = '${collectionNames.dataFile}'`

/**
 * The statements around the insertion of other records. Files that no record has any more become orphaned.
 * `load` is that of the database at the time.
 */
export function toReplaceStatements(fileCollections: readonly string[], load: unknown) {
  const names = toFileCollections(fileCollections, load)
  const hasFile = `resource IN (${["''", ...names.map((name) => `'${name}'`)].join(', ')})`
  const isOrphaned = `resource = '${collectionNames.orphanedFiles}'`
  return {
    before: `${[...names, collectionNames.orphanedFiles].map(toOrphanPlaced).join('')}
      DELETE FROM records WHERE NOT (${hasFile} OR ${isOrphaned});
      DELETE FROM records WHERE ${hasFile} AND id IN (SELECT id FROM records WHERE ${isOrphaned});
      UPDATE records SET resource = '${collectionNames.orphanedFiles}', document = '{}' WHERE ${hasFile};`,
    after: `DELETE FROM records WHERE ${isOrphaned} AND id IN (SELECT id FROM records WHERE ${hasFile});
      UPDATE change_numbers SET last = last + 1;
      DELETE FROM record_counts;`,
  }
}

/** The files of a collection in sandboxes, which a backup does not have. A place has 16 characters; see `toFileId`. */
function toOrphanPlaced(name: string): string {
  const { orphanedFiles } = collectionNames
  const id = "'sandbox_' || substr(records.resource, 1, 16) || '_' || records.id"
  return `UPDATE records SET resource = '${orphanedFiles}', document = '{}', id = ${id}
    WHERE substr(resource, 17) = '/${name}' AND NOT EXISTS
    (SELECT 1 FROM records AS other WHERE other.resource = '${orphanedFiles}' AND other.id = ${id});`
}
