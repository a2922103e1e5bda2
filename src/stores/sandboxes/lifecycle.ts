import { randomBytes } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { collectionNames } from '../collection-names.ts'
import type { NewRecord, Records, StoredRecord, WriteStep } from '../records/records.ts'
import { StoreFailure } from '../store-failure.ts'
import { performance } from '../../timers.ts'
import { pristinePlace, toPlaceName, withoutPlace } from './places.ts'
import type { Sandbox, Scope } from './sandboxes.ts'

/** PostgreSQL is asked again after this time only: an event stream lives longer than the request of a write. */
const maxAgeMs = 500

export type Lifecycle = ReturnType<typeof createLifecycle>

export type SandboxConfig = Pick<Config, 'sandboxSeconds' | 'sandboxRecords' | 'readOnly'>

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

  const begin = async (id: string): Promise<string> => {
    const known = await stored.find(id)
    if (known && isLive(known)) return String(known.document.place)
    return (await move(id, known)) ?? begin(id)
  }
  /** Undefined if another request has changed the sandbox at the same time. */
  const move = async (id: string, known: StoredRecord | undefined, createdAt?: string) => {
    const place = createPlace()
    const now = new Date().toISOString()
    const document = { place }
    const next: WriteStep = known
      ? { ...ofSandboxes, kind: 'change', records: [{ ...known, document, updatedAt: now }] }
      : { ...ofSandboxes, kind: 'create', records: [{ id, document, createdAt: now }] }
    const copies = await copyPristine(records, { place, max: config.sandboxRecords, createdAt })
    const steps = [next, ...(known ? [toEnding(known, now)] : []), ...copies]
    return (await records.commit(steps)) === undefined ? place : undefined
  }
  const toWritable = async (scope: Scope): Promise<string> => {
    assertWritable(scope.sandbox)
    const place = await toPlace(scope)
    if (place !== pristinePlace) return place
    const { id } = scope.sandbox
    const born = births.get(id) ?? begin(id).finally(() => births.delete(id))
    births.set(id, born)
    scope.place = await born
    scope.foundAtMs = performance.now()
    return scope.place
  }
  return {
    stored,
    isLive,
    toEnd,
    toPlace,
    toWritable,
    /** Earlier tags match nothing then, since the copies have new times. */
    restart: async (scope: Scope): Promise<void> => {
      assertWritable(scope.sandbox)
      const { id } = scope.sandbox
      let place: string | undefined
      while (place === undefined) {
        const known = await stored.find(id)
        // What is not stored is as it was at first.
        if (!known) return
        place = await move(id, known, new Date().toISOString())
      }
      scope.place = place
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
  const ended = { id: String(document.place), document: {}, createdAt }
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
