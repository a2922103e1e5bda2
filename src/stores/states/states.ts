import { hash } from 'node:crypto'
import type { Collection, Document, StoredRecord } from '../records/records.ts'
import { retryIfFull, StoreFailure } from '../store-failure.ts'
import { delay } from '../../timers.ts'

export const stateSchema = {
  type: 'object',
  additionalProperties: { type: 'number' },
} as const

/** Counts and amounts by name. A key without a state has none. */
export type State = Readonly<Record<string, number>>

const lifetimeMs = 600_000
const maxAttempts = 200

export type States = ReturnType<typeof createStates>

/** States that expire ten minutes after their last change. In a full store the oldest are removed. */
export function createStates(collection: Collection, maxStates = 10_000) {
  const inTurn = createTurns()
  let removing: Promise<void> | undefined
  const removeSome = () =>
    (removing ??= removeOldest(collection, maxStates).finally(() => {
      removing = undefined
    }))

  const create = async (id: string, document: Document) => {
    if ((await collection.count()) >= maxStates) await removeSome()
    const createdAt = new Date().toISOString()
    return retryIfFull(() => collection.create({ id, document, createdAt }), removeSome)
  }
  const updateNow = async <Next extends State>(id: string, change: (known: State) => Next) => {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const record = await collection.find(id)
      const document = change((record && toLiveState(record)) ?? {})
      const updatedAt = new Date().toISOString()
      const isWritten = record
        ? await collection.change({ id, version: record.version, document, updatedAt })
        : await create(id, document)
      if (isWritten) return document
      await delay(Math.random() * Math.min(attempt, 20))
    }
    throw new StoreFailure('unavailable', 'other processes change this state')
  }

  return {
    find: async (key: string) => {
      const record = await collection.find(toId(key))
      const state = record && toLiveState(record)
      return state && { state, expiresAt: toExpiry(record) }
    },
    /** Atomic between processes: `change` may be called again with a newer state. */
    update: <Next extends State>(key: string, change: (known: State) => Next): Promise<Next> => {
      const id = toId(key)
      return inTurn(id, () => updateNow(id, change))
    },
    remove: (key: string) => collection.remove(toId(key)),
    clear: collection.clear,
    sweep: async (now: string) => {
      const values = [new Date(Date.parse(now) - lifetimeMs).toISOString()]
      const filters = [{ field: 'updatedAt', operator: 'lte', values }] as const
      for await (const page of collection.pages({ filters, sort: [] })) {
        for (const { id, version } of page) await collection.remove(id, version)
      }
    },
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

const toId = (key: string) => hash('sha256', key)

const toExpiry = ({ updatedAt }: StoredRecord) =>
  new Date(Date.parse(updatedAt) + lifetimeMs).toISOString()

function toLiveState(record: StoredRecord): State | undefined {
  const isLive = toExpiry(record) > new Date().toISOString()
  return isLive && isState(record.document) ? record.document : undefined
}

function isState(document: Document): document is State {
  return Object.values(document).every((value) => typeof value === 'number')
}

async function removeOldest(collection: Collection, maxStates: number): Promise<void> {
  // Concurrent creations may have exceeded the maximum.
  const excess = Math.max((await collection.count()) - maxStates, 0)
  const limit = excess + Math.ceil(maxStates / 100)
  const sort = [{ field: 'updatedAt', isDescending: false }]
  const oldest = await collection.list({ filters: [], sort }, { offset: 0, limit })
  for (const { id, version } of oldest) await collection.remove(id, version)
}
