import { isDeepStrictEqual } from 'node:util'
import { formatMebibytes, formatNumber } from '../config/format-count.ts'
import { maxLoadLength, maxRecordsAtOnce, maxSnapshots } from '../config/limits.ts'
import { replaceRecords, savedSchema } from '../data-file/replace-records.ts'
import type { SavedRecord, SavedRecords } from '../data-file/replace-records.ts'
import { compileLater } from '../http/body/json-schema.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { conflict, notFound } from '../http/errors/http-error.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { limitReached, StoreFailure } from '../stores/store-failure.ts'
import { allRecords, type Records, type StoredRecord } from '../stores/records/records.ts'

const maxReads = 10

type SnapshotDefinitions = readonly Pick<ResourceDefinition, 'name'>[]

export function openSnapshots(records: Records, definitions: SnapshotDefinitions) {
  const { learnedFields } = collectionNames
  const names = [...definitions.map(({ name }) => name), learnedFields]
  const [snapshots, saves] = [collectionNames.snapshots, collectionNames.snapshotRecords]
  const collection = records.collection(snapshots)
  return {
    list: async () =>
      (await collection.list(allRecords, { offset: 0, limit: maxSnapshots })).map(snapshotToJson),
    create: async (name: string) => {
      if ((await collection.count()) >= maxSnapshots)
        throw limitReached(`There are ${String(maxSnapshots)} snapshots, the maximum.`)
      const { saved, count } = await readRecords(records, names)
      const createdAt = new Date().toISOString()
      const snapshot = { id: name, document: { records: count }, createdAt }
      const save = { id: name, document: { saved }, createdAt }
      const failed = await records.commit([
        { collection: snapshots, kind: 'create', records: [snapshot] },
        { collection: saves, kind: 'create', records: [save] },
      ])
      if (failed !== undefined) throw conflict(`The snapshot ${name} exists.`)
      return snapshotToJson(snapshot)
    },
    restore: async (name: string) => {
      const found = await records.collection(saves).find(name)
      if (!found) throw toMissing(name)
      const saved = { [learnedFields]: [], ...parseSaved(found) }
      if (!isDeepStrictEqual(Object.keys(saved).sort(), names.toSorted()))
        throw conflict('The snapshot has other resources: the data file has changed since.')
      await replaceRecords(records, saved)
    },
    remove: async (name: string) => {
      const toStep = (each: string) =>
        ({ collection: each, kind: 'remove', records: [{ id: name }] }) as const
      const failed = await records.commit([snapshots, saves].map(toStep))
      if (failed !== undefined) throw toMissing(name)
    },
  }
}

const toMissing = (name: string) => notFound(`There is no snapshot ${name}.`)

type Snapshot = Pick<StoredRecord, 'id' | 'document' | 'createdAt'>

const validate = compileLater(savedSchema)

function parseSaved({ id, document }: Snapshot): SavedRecords {
  if (validate().Check(document)) return document.saved
  throw new StoreFailure('unavailable', `the snapshot ${id} is damaged`)
}

function snapshotToJson({ id, document, createdAt }: Snapshot) {
  return { name: id, createdAt, records: document.records }
}

/** Reads again if another request has written in between. */
async function readRecords(records: Records, names: readonly string[]) {
  const readNumbers = async () =>
    Promise.all(names.map(async (name) => (await records.changes.read(name)).last))
  for (let attempt = 1; attempt <= maxReads; attempt += 1) {
    const before = await readNumbers()
    const entries: [string, SavedRecord[]][] = []
    let [count, length] = [0, 0]
    for (const name of names) {
      const saved: SavedRecord[] = []
      for await (const page of records.collection(name).pages()) {
        saved.push(...page.map(({ id, document }): SavedRecord => [id, document]))
        if (name !== collectionNames.learnedFields) count += page.length
        length += JSON.stringify(page).length
        if (count > maxRecordsAtOnce || length > maxLoadLength) throw tooManyRecords()
      }
      entries.push([name, saved])
    }
    if (isDeepStrictEqual(await readNumbers(), before))
      return { saved: Object.fromEntries(entries) satisfies SavedRecords, count }
  }
  throw conflict('Other requests are writing.')
}

function tooManyRecords() {
  const most = `${formatNumber(maxRecordsAtOnce)} records and ${formatMebibytes(maxLoadLength)}`
  return conflict(`A snapshot has at most ${most}.`)
}
