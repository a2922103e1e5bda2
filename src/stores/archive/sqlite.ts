import { existsSync } from 'node:fs'
import { createSqliteDialect } from '../records/sqlite/dialect.ts'
import { toFolded } from '../records/sqlite/folded.ts'
import { createStatements } from '../records/sqlite/statements.ts'
import { openSqliteDatabase, readPragma } from '../sqlite/database.ts'
import { migrate } from '../sqlite/migrations.ts'
import { openAlone } from '../sqlite/open-alone.ts'
import type { Archivable } from './archive.ts'
import { selectLoad, readRecords, toReplaceStatements } from './read-records.ts'

const findNoObject = "SELECT 1 FROM records WHERE NOT (json_valid(document) AND document GLOB '{*')"

export function createSqliteArchive(path: string, fileCollections: readonly string[]): Archivable {
  return {
    read: async function* () {
      if (!existsSync(path)) throw new Error(`the database ${path} does not exist`)
      using database = openSqliteDatabase(`sqlite:${path}`)
      database.exec('BEGIN')
      const finding = readPragma(database, 'integrity_check(1)')
      const isSound = finding === 'ok' && database.prepare(findNoObject).get() === undefined
      const damage = finding === 'ok' ? 'a document is not a JSON object' : finding
      if (!isSound)
        throw new Error(`the database ${path} is damaged: ${damage.replaceAll('\n', ' ')}`)
      const dialect = createSqliteDialect(database, createStatements(database))
      yield* readRecords(dialect)
    },
    replace: async (records) => {
      using database = openAlone(path)
      const toStatements = () =>
        toReplaceStatements(fileCollections, database.prepare(selectLoad).get()?.document)
      // Without a COMMIT, SQLite undoes the changes when the database is closed.
      database.exec('BEGIN IMMEDIATE')
      migrate(database)
      database.exec(toStatements().before)
      const insert = database.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)')
      for await (const { collection, id, document, version, createdAt, updatedAt } of records) {
        const values = [JSON.stringify(document), version, createdAt, updatedAt]
        insert.run(collection, id, ...values, toFolded(id, document))
      }
      database.exec(
        `${toStatements().after} INSERT INTO record_counts SELECT resource, count(*) FROM records GROUP BY resource;
         COMMIT`,
      )
    },
  }
}
