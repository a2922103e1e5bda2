import { randomBytes } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { collectionNames } from '../collection-names.ts'
import type { NewRecord, Records, StoredRecord, WriteStep } from '../records/records.ts'
import { formatCount, formatNumber } from '../../config/format-count.ts'
import { limitReached, retryIfFull, StoreFailure } from '../store-failure.ts'
import { performance } from '../../timers.ts'
import { pristinePlace, toPlaceName, withoutPlace } from './places.ts'
import type { Sandbox, Scope } from './sandboxes.ts'

/** PostgreSQL is asked again after this time only: an event stream lives longer than the request of a write. */
const maxAgeMs = 500
const maxEndedAtOnce = 100
const leastFreshMs = 1000
const freshFactor = 50

export type Lifecycle = ReturnType<typeof createLifecycle>

export type SandboxConfig = Pick<
  Config,
  | 'sandboxSeconds'
  | 'sandboxRecords'
  | 'readOnly'
  | 'maxSandboxesPerClient'
  | 'maxRecordsOfSandboxes'
>

export interface PlacedRecords extends Records {
  /** The names of the collections of a place, with the place. */
  findNames: (place: string) => Promise<readonly string[]>
  /** Removes the counts and the changes of a place that has no records any more. */
  forget: (place: string) => Promise<void>
  /** The records of a place, and the bytes of their documents. */
  measurePlace: (place: string) => Promise<readonly PlaceSize[]>
}

export interface PlaceSize {
  collection: string
  count: number
  bytes: number
}

/** A sandbox is stored at its first write. Before that, its records are those of the pristine place. */
export function createLifecycle(records: PlacedRecords, config: SandboxConfig) {
  const stored = records.collection(collectionNames.sandboxes)
  const ended = records.collection(collectionNames.endedSandboxes)
  const births = new Map<string, Promise<string>>()
  const toEnd = (record: StoredRecord) => toEndOfLife(record, config)
  const isLive = (record: StoredRecord) => toEnd(record) > new Date().toISOString()

  /** A read stores a use once in a while only. */
  const touch = ({ id, document, version, updatedAt }: StoredRecord) => {
    const restMs = Math.min(config.sandboxSeconds / 24, 3600) * 1000
    if (config.readOnly || Date.now() - Date.parse(updatedAt) < restMs) return
    const now = new Date().toISOString()
    // It fails for all but one of several requests, and the next request tries again.
    stored.change({ id, document, version, updatedAt: now }).catch(() => undefined)
  }
  const toFound = (scope: Scope, record: StoredRecord | undefined): string => {
    const isFound = record !== undefined && isLive(record)
    if (isFound) touch(record)
    scope.foundAtMs = performance.now()
    return (scope.place = isFound ? String(record.document.place) : pristinePlace)
  }
  const toPlace = (scope: Scope): string | Promise<string> => {
    const { place, foundAtMs = -Infinity } = scope
    if (place !== undefined && performance.now() - foundAtMs < maxAgeMs) return place
    const record = stored.find(scope.sandbox.id)
    return record instanceof Promise
      ? record.then((found) => toFound(scope, found))
      : toFound(scope, record)
  }

  const room = createRoom(records, config)
  const toClientFilters = (client: string) => ({
    filters: [{ field: 'client', operator: 'eq', values: [client] } as const],
    sort: [],
  })
  /** Empty without a limit for each client. What ended places have is removed later, so they are among these. */
  const findPlacesOfClient = async ({ sandbox: { id, findClient } }: Scope): Promise<string[]> => {
    if (config.maxSandboxesPerClient === undefined) return []
    const known = await stored.find(id)
    const client = known ? known.document.client : findClient?.()
    if (typeof client !== 'string') return []
    const places: string[] = []
    for await (const page of stored.pages(toClientFilters(client)))
      places.push(...page.map(({ document }) => String(document.place)))
    for await (const page of ended.pages(toClientFilters(client)))
      places.push(...page.map((record) => record.id))
    return places
  }
  /** Those that were last used at this time or before, the oldest first, and returns how many. */
  const endUnused = async (before: string) => {
    const now = new Date().toISOString()
    const filters = [{ field: 'updatedAt', operator: 'lte', values: [before] }] as const
    const sort = [{ field: 'updatedAt', isDescending: false }]
    const unused = await stored.list({ filters, sort }, { offset: 0, limit: maxEndedAtOnce })
    for (const record of unused) await records.commit(toEndSteps(record, now))
    return unused.length
  }
  const endExpired = (now = Date.now()) =>
    endUnused(new Date(now - config.sandboxSeconds * 1000).toISOString())

  const begin = async ({ id, findClient }: Sandbox): Promise<string> => {
    const known = await stored.find(id)
    if (known && isLive(known)) return String(known.document.place)
    const client = known ? undefined : findClient?.()
    const moved = await retryIfFull(
      async () => {
        await room.assertOfClient(client)
        return move(id, known, { client })
      },
      async () => {
        await endExpired()
      },
    )
    return moved ?? begin({ id, findClient, isReadOnly: false })
  }
  /** Undefined if another request has changed the sandbox at the same time. */
  const move = async (
    id: string,
    known: StoredRecord | undefined,
    { createdAt, client }: { createdAt?: string; client?: string | undefined },
  ) => {
    const place = createPlace()
    const now = new Date().toISOString()
    const document = { ...(client && { client }), ...known?.document, place }
    const next: WriteStep = known
      ? { ...ofSandboxes, kind: 'change', records: [{ ...known, document, updatedAt: now }] }
      : { ...ofSandboxes, kind: 'create', records: [{ id, document, createdAt: now }] }
    const copies = await copyPristine(records, { place, max: config.sandboxRecords, createdAt })
    await room.assertRoom(copies)
    const steps = [next, ...(known ? [toEnding(known, now)] : []), ...copies]
    return (await records.commit(steps)) === undefined ? place : undefined
  }
  const toWritable = async (scope: Scope): Promise<string> => {
    assertWritable(scope.sandbox)
    const place = await toPlace(scope)
    if (place !== pristinePlace) return place
    const { id } = scope.sandbox
    const born = births.get(id) ?? begin(scope.sandbox).finally(() => births.delete(id))
    births.set(id, born)
    scope.place = await born
    scope.foundAtMs = performance.now()
    return scope.place
  }
  return {
    stored,
    ended,
    findPlacesOfClient,
    isLive,
    toEnd,
    toPlace,
    toWritable,
    assertRoom: room.assertRoom,
    endUnused,
    endExpired,
    /** Earlier tags match nothing then, since the copies have new times. */
    restart: async (scope: Scope): Promise<void> => {
      assertWritable(scope.sandbox)
      const { id } = scope.sandbox
      let place: string | undefined
      while (place === undefined) {
        const known = await stored.find(id)
        // What is not stored is as it was at first.
        if (!known) return
        place = await move(id, known, { createdAt: new Date().toISOString() })
      }
      scope.place = place
    },
  }
}

/** What one more sandbox, and one more record of a sandbox, must fit in. */
function createRoom(records: PlacedRecords, config: SandboxConfig) {
  const { maxSandboxesPerClient: maxPerClient, maxRecordsOfSandboxes: max } = config
  const stored = records.collection(collectionNames.sandboxes)
  let [count, freshUntil] = [0, -Infinity]
  const countAgain = async () => {
    const begin = performance.now()
    const counts = new Map(await records.counts())
    count = counts.get(collectionNames.sandboxRecords) ?? 0
    const end = performance.now()
    freshUntil = end + Math.max(leastFreshMs, freshFactor * (end - begin))
  }
  return {
    assertOfClient: async (client: string | undefined) => {
      if (maxPerClient === undefined || client === undefined) return
      const filters = [{ field: 'client', operator: 'eq', values: [client] }] as const
      if ((await stored.count({ filters, sort: [] })) < maxPerClient) return
      const begun = `This client has begun ${formatCount(maxPerClient, 'sandbox', 'sandboxes')}`
      throw limitReached(`${begun}, the limit MAX_SANDBOXES_PER_CLIENT of this service.`)
    },
    /** Other processes write too, so the records are counted again from time to time. */
    assertRoom: async (steps: readonly WriteStep[]) => {
      if (max === undefined) return
      const created = steps.filter((step) => step.kind === 'create' || step.kind === 'replace')
      const more = created.reduce((sum, { records: { length } }) => sum + length, 0)
      if (more === 0) return
      if (performance.now() > freshUntil) await countAgain()
      if (count + more > max)
        throw limitReached(
          `All sandboxes have ${formatNumber(max)} records, the limit MAX_RECORDS_OF_SANDBOXES of this service.`,
        )
      count += more
    },
  }
}

/** 96 random bits: no two lives of sandboxes have the same place. */
const createPlace = () => randomBytes(12).toString('base64url')

const ofSandboxes = { collection: collectionNames.sandboxes } as const

export function toEndOfLife({ updatedAt }: StoredRecord, config: SandboxConfig): string {
  return new Date(Date.parse(updatedAt) + config.sandboxSeconds * 1000).toISOString()
}

/** Fails if the sandbox was used or reset meanwhile. */
export function toEndSteps(record: StoredRecord, now: string): WriteStep[] {
  const { id, version } = record
  return [{ ...ofSandboxes, kind: 'remove', records: [{ id, version }] }, toEnding(record, now)]
}

/** Its records are removed later, in small steps. */
function toEnding({ document }: StoredRecord, createdAt: string): WriteStep {
  const { client, place } = document
  const ended = { id: String(place), document: client === undefined ? {} : { client }, createdAt }
  return { collection: collectionNames.endedSandboxes, kind: 'create', records: [ended] }
}

function assertWritable({ isReadOnly }: Sandbox): void {
  if (isReadOnly) throw new StoreFailure('unavailable', 'the sandbox was joined to read')
}

interface Copying {
  place: string
  max: number
  /** Unset: the copies have the times of the pristine records, and so their tags. */
  createdAt: string | undefined
}

async function copyPristine(records: PlacedRecords, { place, max, createdAt }: Copying) {
  const names = await records.findNames(pristinePlace)
  const copies = names.map(async (name): Promise<WriteStep> => {
    const first = await records
      .collection(name)
      .list({ filters: [], sort: [] }, { offset: 0, limit: max })
    const startMs = Date.parse(createdAt ?? '') - first.length
    const toCopy = (record: StoredRecord, index: number): NewRecord => ({
      id: record.id,
      document: record.document,
      createdAt: createdAt ? new Date(startMs + index).toISOString() : record.createdAt,
    })
    const collection = toPlaceName(place, withoutPlace(name))
    return { collection, kind: 'replace', records: first.map(toCopy) }
  })
  return Promise.all(copies)
}
