import { defineResource, type ResourceDefinition } from '../resources/definition.ts'
import { createHasher } from '../resources/write/write.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { recordsPerStep, type Records, type RecordStep } from '../stores/records/records.ts'
import { delay } from '../timers.ts'
import { copyLoaded } from './pristine-records.ts'
import { loadId, parseLoad, type Load } from './parse-load.ts'
import type { DataResource } from './report-problems.ts'

/** Where the records or files are, for a person: a path, or a URL without its user, password and query. */
export function toPlace(url: string): string {
  return url.replace(/^(sqlite|file):/, '').replace(/^(\w+:\/\/)(?:.*@)?([^?#]*).*$/s, '$1$2')
}

const pollMs = 100
const markMs = 1000
/** A load marks its progress more often: its process has ended. */
const abandonedMs = 5000

export async function findLoad(records: Records): Promise<Load | undefined> {
  for (;;) {
    const record = await records.collection(collectionNames.dataFile).find(loadId)
    const load = record && parseLoad(record)
    if (!load || load.isComplete) return load
    if (Date.now() - Date.parse(record.updatedAt) > abandonedMs) return load
    await delay(pollMs)
  }
}

/** `version` is that of the load which this one replaces. False if another process has replaced it. */
export async function storeLoad(
  records: Records,
  { version, ...document }: Load,
): Promise<boolean> {
  const collection = records.collection(collectionNames.dataFile)
  const now = new Date().toISOString()
  const record = { id: loadId, document }
  return version === 0
    ? collection.create({ ...record, createdAt: now })
    : collection.change({ ...record, updatedAt: now, version })
}

/** The next start loads the data file again, and replaces what is created until then. */
export async function forgetLoad(records: Records): Promise<readonly ResourceDefinition[]> {
  const load = await findLoad(records)
  if (!load) return []
  const { version, ...document } = { ...load, isComplete: false }
  const updatedAt = new Date(0).toISOString()
  const forgotten = { id: loadId, document, version, updatedAt }
  if (await records.collection(collectionNames.dataFile).change(forgotten)) return load.definitions
  return forgetLoad(records)
}

type LoadedData = Omit<Load, 'isComplete' | 'definitions' | 'inferred' | 'version'> & {
  resources: readonly DataResource[]
  /** How many of each resource a sandbox begins with: unset if these copies stay as they are. */
  copied?: number | undefined
}

export async function loadData(
  records: Records,
  { resources, hash, schemaHash, recordsHash, ownSchema, responses, copied }: LoadedData,
  last: Load | undefined,
): Promise<boolean> {
  const definitions = resources.map(({ definition }) => definition)
  const inferred = resources.map((resource) => resource.inferred)
  let version = last?.version ?? 0
  const mark = async (isComplete: boolean): Promise<boolean> => {
    const parts = { hash, schemaHash, recordsHash, ownSchema, responses }
    const load = { ...parts, isComplete, definitions, inferred, version }
    const isMarked = await storeLoad(records, load)
    version += 1
    return isMarked
  }
  if (!last) await assertEmpty(records, definitions)
  if (!(await mark(false))) return false
  let markedAt = Date.now()
  const onProgress = async () => {
    if (Date.now() - markedAt < markMs) return
    if (!(await mark(false))) throw new Error('another process has begun to load the data file')
    markedAt = Date.now()
  }
  const all = [...(last?.definitions ?? []), ...definitions].map(({ name }) => name)
  for (const name of new Set([...all, collectionNames.learnedFields]))
    await records.collection(name).clear()
  for (const resource of resources) await createAll(records, resource, onProgress)
  for (const { name } of definitions) await records.changes.skip(name)
  if (copied !== undefined) await copyLoaded(records, resources, { recordsHash, max: copied })
  return mark(true)
}

async function assertEmpty(records: Records, definitions: readonly ResourceDefinition[]) {
  for (const { name } of definitions) {
    if ((await records.collection(name).count()) === 0) continue
    // Another process has begun to load them.
    if (await records.collection(collectionNames.dataFile).find(loadId)) return
    throw new Error(
      `the database already has ${name} that are not from this file: set DATABASE_URL to another database, or unset it`,
    )
  }
}

/** A list is sorted by the time of the creation, which is in the order of the file. */
async function createAll(
  records: Records,
  { definition, records: all }: DataResource,
  onProgress: () => Promise<void>,
): Promise<void> {
  const { name } = definition
  const hashPasswords = createHasher(defineResource(definition))
  const firstMs = Date.now() - all.length
  const timed = all.map((record, index) => {
    return { ...record, createdAt: new Date(firstMs + index).toISOString() }
  })
  // The highest is stored first: a number that another request assigns meanwhile is above all of them.
  const sorted = timed.toSorted((one, other) => (+other.id || 0) - (+one.id || 0))
  for (let start = 0; start < sorted.length; start += recordsPerStep) {
    const part = sorted.slice(start, start + recordsPerStep)
    const created = await Promise.all(
      part.map(async (each) => ({ ...each, document: await hashPasswords(each.document) })),
    )
    // What was created since the collection was cleared is replaced.
    const kind = start === 0 ? 'replace' : 'create'
    await createPart(records, name, { kind, records: created })
    await onProgress()
  }
}

/** A request that began before the first part, or that names an id, may create one of the records. */
async function createPart(
  { collection, commit }: Records,
  name: string,
  step: Extract<RecordStep, { kind: 'create' | 'replace' }>,
): Promise<void> {
  if ((await commit([{ collection: name, ...step }])) === undefined) return
  const { create, remove } = collection(name)
  for (const record of step.records) while (!(await create(record))) await remove(record.id)
}
