import { setTimeout } from 'node:timers/promises'
import type { ResourceDefinition } from '../resources/definition.ts'
import { defineResource } from '../resources/definition.ts'
import { createHasher } from '../resources/write/write.ts'
import { collectionNames } from '../stores/collection-names.ts'
import {
  isDocument,
  recordsPerStep,
  type Records,
  type StoredRecord,
} from '../stores/records/records.ts'
import type { DataResource } from './define-data.ts'

/** What the database has of a data file. */
interface Load {
  /** Of the file and its schema. */
  hash: string
  isComplete: boolean
  definitions: readonly ResourceDefinition[]
}

const loadId = 'load'
const pollMs = 100
/** A load writes every few milliseconds: after this pause its process has ended. */
const abandonedMs = 10_000

/** The load that is complete. Waits for another process that is loading. */
export async function findLoad(records: Records): Promise<Load | undefined> {
  for (;;) {
    const record = await records.collection(collectionNames.dataFile).find(loadId)
    const load = record && toLoad(record)
    if (!record || !load || load.isComplete) return load
    if (isAbandoned(record)) return undefined
    await setTimeout(pollMs)
  }
}

function isAbandoned({ updatedAt }: StoredRecord): boolean {
  return Date.now() - Date.parse(updatedAt) > abandonedMs
}

function toLoad({ document }: StoredRecord): Load | undefined {
  const { hash, isComplete, definitions } = document
  if (typeof hash !== 'string' || typeof isComplete !== 'boolean') return undefined
  return {
    hash,
    isComplete,
    definitions: Array.isArray(definitions) ? definitions.filter(isDefinition) : [],
  }
}

/** They were stored by {@link loadData}. */
function isDefinition(value: unknown): value is ResourceDefinition {
  return isDocument(value) && typeof value.name === 'string' && isDocument(value.schema)
}

/** Replaces the records of all resources. False if another process is loading. The next start repeats a load that is interrupted. */
export async function loadData(
  records: Records,
  { hash, resources }: { hash: string; resources: readonly DataResource[] },
): Promise<boolean> {
  const collection = records.collection(collectionNames.dataFile)
  const definitions = resources.map(({ definition }) => definition)
  const before = await collection.find(loadId)
  const old = before && toLoad(before)
  const mark = async (isComplete: boolean, version: number) => {
    const now = new Date().toISOString()
    const document = { hash, isComplete, definitions }
    const isWritten =
      version === 0
        ? await collection.create({ id: loadId, document, createdAt: now })
        : await collection.change({ id: loadId, document, updatedAt: now, version })
    return isWritten ? version + 1 : 0
  }
  if (before === undefined) await assertEmpty(records, definitions)
  let version = await mark(false, before?.version ?? 0)
  if (version === 0) return false
  const names = [...(old?.definitions ?? []), ...definitions].map(({ name }) => name)
  for (const name of new Set(names)) await records.collection(name).clear()
  for (const resource of resources)
    await createAll(records, resource, async () => {
      version = await mark(false, version)
    })
  return (await mark(true, version)) > 0
}

async function assertEmpty(records: Records, definitions: readonly ResourceDefinition[]) {
  for (const { name } of definitions) {
    if ((await records.collection(name).count()) === 0) continue
    const reason = `the database has other ${name}: set another DATABASE_URL, or unset it`
    throw new Error(reason)
  }
}

const stepsPerMark = 20

/** In the order of the file: a list is sorted by the time of the creation. */
async function createAll(
  records: Records,
  { definition, records: all }: DataResource,
  onProgress: () => Promise<void>,
): Promise<void> {
  const { name } = definition
  const hash = createHasher(defineResource(definition))
  const firstMs = Date.now() - all.length
  for (let start = 0; start < all.length; start += recordsPerStep) {
    const part = all.slice(start, start + recordsPerStep)
    const created = await Promise.all(
      part.map(async ({ id, document }, index) => {
        const createdAt = new Date(firstMs + start + index).toISOString()
        return { id, document: await hash(document), createdAt }
      }),
    )
    const failed = await records.commit([{ kind: 'create', collection: name, records: created }])
    if (failed !== undefined) throw new Error(`${name} cannot be stored`)
    if ((start / recordsPerStep) % stepsPerMark === stepsPerMark - 1) await onProgress()
  }
}
