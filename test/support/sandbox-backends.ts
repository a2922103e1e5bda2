import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { createSchema, openPostgresServer, withoutPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'vitrine-sandboxes-'))
let count = 0
let server: Promise<PostgresServer> | undefined

after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await (await server)?.remove()
})

type ToSettings = () => Promise<Record<string, string>>

/** The settings of a new database of each kind. */
export const backends: readonly [name: string, skip: string | false, toSettings: ToSettings][] = [
  [
    'SQLite',
    false,
    async () => ({ DATABASE_URL: `sqlite:${join(folder, `${String((count += 1))}.db`)}` }),
  ],
  [
    'PostgreSQL',
    withoutPostgres,
    async () => {
      server ??= openPostgresServer()
      return { DATABASE_URL: await createSchema((await server).url) }
    },
  ],
]
