import { Readable } from 'node:stream'
import type { Files } from '../files/files.ts'
import { createHasFile, isContentOf, toSavedFile } from './archive.ts'
import type { Archivable, ArchivedRecord, ArchiveOptions } from './archive.ts'
import { checkArchive, readArchive } from './read-archive.ts'

interface RestoreOptions extends ArchiveOptions {
  database: Pick<Archivable, 'replace'>
  file: string
  /** Called before anything is replaced. It throws if the archive is of another service. */
  assertFits?: () => Promise<void>
}

/** If interrupted, no record lacks its file; the next start removes the other files. */
export async function restoreArchive(archive: RestoreOptions) {
  const { database, file, files, assertFits, ...options } = archive
  const { lost, ...totals } = await checkArchive(file, options)
  await assertFits?.()
  // A sweep would remove kept files without records, so they stay pending until the records are there.
  const pending: string[] = []
  async function* read(): AsyncGenerator<ArchivedRecord> {
    const hasFile = createHasFile(options.fileCollections)
    for await (const { record, content } of readArchive(file)) {
      const isWithFile = hasFile(record)
      if (isWithFile && lost.has(record.id)) continue
      if (isWithFile && !(await isKept(files, record).catch(() => false))) {
        await files.remove(record.id)
        pending.push(record.id)
        await files.save(record.id, Readable.from(content, { objectMode: false }))
      }
      yield record
    }
  }
  try {
    await database.replace(read())
  } catch (error) {
    for (const id of pending) await files.remove(id)
    throw error
  }
  for (const id of pending) await files.keep(id)
  return totals
}

async function isKept(files: Files, record: ArchivedRecord): Promise<boolean> {
  const saved = toSavedFile(record)
  // An empty file has no byte to read; this rejects if there is no file.
  if (saved.size === 0) return files.keep(record.id).then(() => true)
  const content = await files.read(record.id, 0, saved.size - 1)
  return content !== undefined && (await isContentOf(saved, content))
}
