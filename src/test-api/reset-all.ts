import { reloadData } from '../data-file/reload-data.ts'
import { conflict } from '../http/errors/http-error.ts'
import type { Resource } from '../resources/definition.ts'
import { findFileCollections, type Demo, type Services } from '../site/demo.ts'
import { findScope } from '../stores/sandboxes/sandboxes.ts'
import { removeAllWithFiles, removeOrphanedFiles } from '../stores/orphaned-files.ts'

export type ResettableDemo = Demo & { resource?: Resource }

type Stored = Pick<
  Services,
  'config' | 'records' | 'files' | 'sandboxes' | 'sessions' | 'states' | 'idempotencyEntries'
>

/** In a sandbox, of this only. Removes what the demos have stored, and stores the records of the data file again. Throws 409 if it has changed. */
export async function resetAll(services: Stored, demos: readonly ResettableDemo[]): Promise<void> {
  const { config, records, files, sandboxes, sessions, states, idempotencyEntries } = services
  if (findScope()) {
    await sandboxes.reset()
    await sessions.clear()
    return
  }
  const ofFiles = findFileCollections(demos)
  const collections = demos.flatMap((demo) => demo.collections ?? []).map(({ name }) => name)
  const resources = demos.flatMap(({ resource }) => resource?.name ?? [])
  const emptied = [...resources, ...collections].filter((name) => !ofFiles.includes(name))
  const problem = await reloadData(config, records, emptied)
  if (problem !== undefined) throw conflict(problem)
  for (const name of ofFiles) await removeAllWithFiles(services, name)
  await removeOrphanedFiles(files, records, ofFiles)
  await Promise.all([sessions.clear(), states.clear(), idempotencyEntries.clear()])
}
