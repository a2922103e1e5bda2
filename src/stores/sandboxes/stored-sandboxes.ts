import { collectionNames } from '../collection-names.ts'
import { allRecords, hasTypes, textSchema } from '../records/records.ts'
import type { Filter, StoredRecord } from '../records/records.ts'
import { toEndOfLife, toEndSteps, type PlacedRecords, type SandboxConfig } from './lifecycle.ts'
import { toPlaceName } from './places.ts'

/** What the operator sees of a sandbox. */
export interface StoredSandbox {
  /** The beginning of a hash of its key. It leads to no key, and is none. */
  name: string
  /** The address that the first write came from. */
  client: string | undefined
  createdAt: string
  usedAt: string
  endsAt: string
  counts: readonly (readonly [collection: string, count: number])[]
  /** Of the records and of the uploads. */
  bytes: number
}

/** Six bytes: 12 hexadecimal digits, or 8 characters of an id. Unlike an id, a name does not begin with a hyphen. */
const toName = (id: string) => Buffer.from(id, 'base64url').toString('hex').slice(0, 12)
const toIdStart = (name: string) => Buffer.from(name, 'hex').toString('base64url')

/** For commands, which may run beside the service. */
export function openStoredSandboxes(
  records: PlacedRecords,
  config: SandboxConfig,
  fileCollections: readonly string[],
) {
  const stored = records.collection(collectionNames.sandboxes)
  const toStored = async (record: StoredRecord): Promise<StoredSandbox> => {
    const place = String(record.document.place)
    const parts = await records.measurePlace(place)
    const sizes = fileCollections.map((name) => records.measureFiles(toPlaceName(place, name)))
    const all = [...parts.map(({ bytes }) => bytes), ...(await Promise.all(sizes))]
    return {
      name: toName(record.id),
      client: hasTypes(record.document.client, textSchema) ? record.document.client : undefined,
      createdAt: record.createdAt,
      usedAt: record.updatedAt,
      endsAt: toEndOfLife(record, config),
      counts: parts.map(({ collection, count }) => [collection, count] as const),
      bytes: all.reduce((sum, bytes) => sum + bytes, 0),
    }
  }
  const find = async (name: string): Promise<StoredRecord> => {
    const start = toIdStart(name)
    const filters: Filter[] = [
      { field: '_id', operator: 'gte', values: [start] },
      { field: '_id', operator: 'lt', values: [`${start}~`] },
    ]
    const [found] = await stored.list({ filters, sort: [] }, { offset: 0, limit: 1 })
    if (found === undefined) throw new Error(`there is no sandbox ${name}`)
    return found
  }
  return {
    list: async function* () {
      for await (const page of stored.pages(allRecords))
        for (const record of page) yield await toStored(record)
    },
    show: async (name: string) => toStored(await find(name)),
    /** A running service removes what it had, some minutes later. */
    end: async (name: string): Promise<void> => {
      const record = await find(name)
      if ((await records.commit(toEndSteps(record, new Date().toISOString()))) !== undefined)
        throw new Error(`the sandbox ${name} was used at the same time: try again`)
    },
  }
}
