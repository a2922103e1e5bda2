import { hash } from 'node:crypto'
import type { XStatic } from 'typebox/schema'
import { maxStates, stateSeconds } from '../../config/limits.ts'
import { createExpiring } from '../expiring.ts'
import { hasTypes, type Collection, type StoredRecord } from '../records/records.ts'
import { StoreFailure } from '../store-failure.ts'
import { delay } from '../../timers.ts'

export const stateSchema = { type: 'object', additionalProperties: { type: 'number' } } as const

export type State = XStatic<typeof stateSchema>

const maxAttempts = 200

export type States = ReturnType<typeof createStates>

export function createStates(collection: Collection, max = maxStates) {
  const inTurn = createTurns()
  const expiring = createExpiring(collection, { toEnd: toExpiry, order: 'updatedAt', max })
  const updateNow = async <Next extends State>(id: string, change: (known: State) => Next) => {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const record = await collection.find(id)
      const document = change((record && toLiveState(record)) ?? {})
      const updatedAt = new Date().toISOString()
      const isWritten = record
        ? await collection.change({ id, version: record.version, document, updatedAt })
        : await expiring.create({ id, document, createdAt: updatedAt })
      if (isWritten) return document
      await delay(Math.random() * Math.min(attempt, 20))
    }
    throw new StoreFailure('unavailable', 'other processes change this state')
  }

  return {
    find: async (key: string) => {
      const record = await collection.find(hashKey(key))
      const state = record && toLiveState(record)
      return state && { state, expiresAt: toExpiry(record) }
    },
    /** Atomic between processes: `change` may be called again with a newer state. */
    update: <Next extends State>(key: string, change: (known: State) => Next): Promise<Next> => {
      const id = hashKey(key)
      return inTurn(id, () => updateNow(id, change))
    },
    remove: (key: string) => collection.remove(hashKey(key)),
    clear: collection.clear,
    sweep: expiring.sweep,
  }
}

/** One update of an id at a time in this process, so that only processes compete. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return <Result>(id: string, run: () => Promise<Result>): Promise<Result> => {
    const update = Promise.resolve(last.get(id)).then(run)
    const settled = update
      .catch(() => undefined)
      .finally(() => {
        if (last.get(id) === settled) last.delete(id)
      })
    last.set(id, settled)
    return update
  }
}

const hashKey = (key: string) => hash('sha256', key)

const toExpiry = ({ updatedAt }: StoredRecord) =>
  new Date(Date.parse(updatedAt) + stateSeconds * 1000).toISOString()

function toLiveState(record: StoredRecord): State | undefined {
  const isLive = toExpiry(record) > new Date().toISOString()
  return isLive && hasTypes(record.document, stateSchema) ? record.document : undefined
}
