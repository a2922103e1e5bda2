import { collectionNames } from '../collection-names.ts'
import type { Files } from '../files/files.ts'
import { isId } from '../records/records.ts'
import { createLifecycle } from './lifecycle.ts'
import type { PlacedRecords, SandboxConfig } from './lifecycle.ts'
import { pristinePlace, withoutPlace } from './places.ts'
import { findScope, type EndListener, type Sandboxes, type Scope } from './sandboxes.ts'
import { scopeFiles, toFileId } from './scoped-files.ts'
import { scopeRecords } from './scoped-records.ts'

/** A request of before may still write: it ends within this time and the longest request. */
const restSeconds = 60

export function openSandboxes(
  base: { records: PlacedRecords; files: Files },
  config: SandboxConfig & { requestSeconds: number },
) {
  const life = createLifecycle(base.records, config)
  const { records } = base
  const { ended } = life
  const endListeners: EndListener[] = []
  const removePlace = async (place: string, fileCollections: readonly string[]) => {
    const names = await records.findNames(place)
    const withFiles = [...fileCollections, collectionNames.orphanedFiles]
    for (const name of names) {
      const collection = records.collection(name)
      // If this is interrupted, the records are still there, and name the files.
      if (withFiles.includes(withoutPlace(name)))
        for await (const page of collection.pages())
          for (const { id } of page) if (isId(id)) await base.files.remove(toFileId(place, id))
      await collection.clear()
    }
    for (const remove of endListeners) await remove(place)
    await records.forget(place)
    await ended.remove(place)
  }
  const endAll = async () => {
    const now = new Date().toISOString()
    let count = 0
    for (let more = 1; more > 0; count += more) more = await life.endUnused(now)
    return count
  }
  const ofScope = async (find: (scope: Scope) => string | Promise<string>) => {
    const scope = findScope()
    return scope && find(scope)
  }
  const sandboxes: Sandboxes = {
    findPlace: () => ofScope(life.toPlace),
    claimPlace: () => ofScope(life.toWritable),
    findPlacesOfClient: async () => {
      const scope = findScope()
      return scope ? life.findPlacesOfClient(scope) : []
    },
    describe: async () => {
      const scope = findScope()
      if (scope === undefined) return { records: 0, expiresAt: undefined }
      const place = await life.toPlace(scope)
      const names = await records.findNames(place)
      const own = names.filter((name) => !withoutPlace(name).startsWith('~'))
      const counts = await Promise.all(own.map((name) => records.collection(name).count()))
      const record = await life.stored.find(scope.sandbox.id)
      return {
        records: counts.reduce((sum, count) => sum + count, 0),
        expiresAt: record && life.isLive(record) ? life.toEnd(record) : undefined,
      }
    },
    reset: async () => {
      const scope = findScope()
      if (scope) await life.restart(scope)
    },
    onEnd: (remove) => endListeners.push(remove),
    endAll,
    removeAll: async (fileCollections) => {
      const count = await endAll()
      for await (const page of ended.pages())
        for (const { id } of page) await removePlace(id, fileCollections)
      await removePlace(pristinePlace, [])
      return count
    },
    sweep: async (now, fileCollections) => {
      if (config.readOnly) return
      while ((await life.endExpired(Date.parse(now))) > 0);
      const rest = (config.requestSeconds + restSeconds) * 1000
      const before = new Date(Date.parse(now) - rest).toISOString()
      const filters = [{ field: 'createdAt', operator: 'lte', values: [before] }] as const
      for await (const page of ended.pages({ filters, sort: [] }))
        for (const { id } of page) await removePlace(id, fileCollections)
    },
  }
  return {
    records: scopeRecords(records, life),
    files: scopeFiles(base.files, life),
    sandboxes,
    /** So that a sweep and the first write of a client do not read all sandboxes. */
    index: async () => {
      await life.stored.index(['updatedAt'])
      await life.stored.index(['client'])
      await ended.index(['client'])
    },
  }
}
