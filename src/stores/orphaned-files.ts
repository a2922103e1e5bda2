import { collectionNames } from './collection-names.ts'
import type { Files } from './files/files.ts'
import type { Records } from './records/records.ts'

/** A file that still has an upload is skipped: the upload is about to be removed. */
export async function removeOrphanedFiles(files: Files, records: Records): Promise<void> {
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  const uploads = records.collection(collectionNames.uploads)
  for await (const page of orphanedFiles.pages()) {
    for (const { id } of page) {
      if ((await uploads.find(id)) !== undefined) continue
      await files.remove(id)
      await orphanedFiles.remove(id)
    }
  }
}
