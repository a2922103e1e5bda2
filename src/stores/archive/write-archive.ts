import { createHash } from 'node:crypto'
import type { Files } from '../files/files.ts'
import { archiveStart, archiveVersion, createCheck, createHasFile, toSavedFile } from './archive.ts'
import type { Archivable, ArchivedRecord, ArchiveOptions, ArchiveLine } from './archive.ts'

interface WriteOptions extends Omit<ArchiveOptions, 'checkRecord'> {
  database: Pick<Archivable, 'read'>
  /** The JSON Schemas of documents, by collection, for readers of the file. */
  schemas: Readonly<Record<string, unknown>>
}

export async function* writeArchive(options: WriteOptions): AsyncGenerator<string> {
  const hash = createHash('sha256')
  for await (const line of writeLines(options)) {
    hash.update(line)
    yield line
  }
  yield `{"sha256":"${hash.digest('hex')}"}\n`
}

async function* writeLines({ database, files, fileCollections, schemas }: WriteOptions) {
  yield `${archiveStart}${String(archiveVersion)},"schemas":${JSON.stringify(schemas)}}\n`
  const hasFile = createHasFile(fileCollections)
  for await (const record of database.read()) {
    yield toLine({ record })
    if (hasFile(record)) yield* writePieces(files, record)
  }
}

async function* writePieces(files: Files, record: ArchivedRecord): AsyncGenerator<string> {
  const { take, isWhole } = createCheck(toSavedFile(record))
  for await (const piece of await readContent(files, record)) {
    take(piece)
    yield toLine({ piece: piece.toString('base64') })
  }
  if (!isWhole()) yield toLine({ isLost: true })
}

type FileContent = AsyncIterable<Buffer> | readonly Buffer[]

async function readContent(files: Files, record: ArchivedRecord): Promise<FileContent> {
  const { id } = record
  const { size } = toSavedFile(record)
  const read = () => files.read(id, 0, size - 1)
  if (!Number.isSafeInteger(size) || size <= 0) return []
  // A file may still be pending although its record exists, during an upload or after a crash.
  return (await read()) ?? (await files.keep(id).then(read, () => undefined)) ?? []
}

const toLine = (entry: ArchiveLine) => `${JSON.stringify(entry)}\n`
