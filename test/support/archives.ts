import { createHash } from 'node:crypto'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'

interface ArchiveLine {
  record?: Record<string, unknown> & { collection: string; document: Record<string, unknown> }
  piece?: string
  isLost?: boolean
  version?: number
}

/** The lines of an archive, without the last one, which has the hash. */
export async function readArchiveLines(file: string): Promise<ArchiveLine[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -2)
  return lines.map((line) => JSON.parse(line) as ArchiveLine)
}

/** Writes an archive with the right hash. */
export async function writeArchiveLines(file: string, lines: readonly unknown[]): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  await writeFile(file, `${text}${JSON.stringify({ sha256 })}\n`)
}

/** Adds to a SQLite database what a backup of version 0.2.0 has: the contents of uploads, its mark, and a hash. */
export async function makeOldBackup(path: string, statements: string): Promise<void> {
  {
    using database = new DatabaseSync(path)
    database.exec(`CREATE TABLE contents (
       id TEXT NOT NULL, place INTEGER NOT NULL, piece BLOB NOT NULL, PRIMARY KEY (id, place)
     ) STRICT;
     ${statements};
     PRAGMA application_id = 1449751601; PRAGMA journal_mode = DELETE`)
  }
  await appendOldHash(path)
}

export async function appendOldHash(path: string): Promise<void> {
  const hash = createHash('sha256').update(await readFile(path))
  await appendFile(path, `vitrine-sha256 ${hash.digest('hex')}\n`)
}
