import type { Files } from './files/files.ts'
import { eachPage, type Records } from './records/records.ts'

/** Records of this resource name files whose uploads are gone: no resource with routes can have it. */
export const orphanedFiles = '~leftovers'

/**
 * Removes the files that are named there, and then their names. One that has an upload all the same
 * is about to lose it, and its turn comes later.
 */
export async function removeOrphanedFiles(files: Files, records: Records): Promise<void> {
  for await (const page of eachPage(records, orphanedFiles)) {
    for (const { id } of page) {
      if ((await records.find('uploads', id)) !== undefined) continue
      await files.remove(id)
      await records.remove(orphanedFiles, id)
    }
  }
}
