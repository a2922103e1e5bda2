import { collectionNames } from '../collection-names.ts'
import type { Dialect } from '../records/dialect.ts'
import { createLists } from '../records/lists.ts'
import type { ArchivedRecord } from './archive.ts'

export async function* readRecords(
  dialect: Dialect,
  fileCollections: readonly string[],
): AsyncGenerator<ArchivedRecord> {
  const rows = await dialect.run('SELECT DISTINCT resource FROM records ORDER BY resource', [])
  const names = rows.map(([name]) => String(name))
  const plain = names.filter((name) => !fileCollections.includes(name))
  for (const collection of [...plain, ...fileCollections]) {
    if (collection === collectionNames.orphanedFiles) continue
    for await (const page of createLists(dialect, collection).pages())
      yield* page.map((record) => ({ collection, ...record }))
  }
}

/** The statements around the insertion of other records. Files that no record has any more become orphaned. */
export function toReplaceStatements(fileCollections: readonly string[]) {
  const hasFile = `resource IN (${fileCollections.map((name) => `'${name}'`).join(', ')})`
  const isOrphaned = `resource = '${collectionNames.orphanedFiles}'`
  return {
    before: `DELETE FROM records WHERE NOT (${hasFile} OR ${isOrphaned});
      DELETE FROM records WHERE ${hasFile} AND id IN (SELECT id FROM records WHERE ${isOrphaned});
      UPDATE records SET resource = '${collectionNames.orphanedFiles}', document = '{}' WHERE ${hasFile};`,
    after: `DELETE FROM records WHERE ${isOrphaned} AND id IN (SELECT id FROM records WHERE ${hasFile});
      UPDATE change_numbers SET last = last + 1;
      DELETE FROM record_counts;`,
  }
}
