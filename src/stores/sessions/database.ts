import type { Collection } from '../records/records.ts'
import { retryIfFull } from '../store-failure.ts'
import { isSession, type Sessions } from './sessions.ts'
import { performance } from '../../timers.ts'

const sweepPauseMs = 1000

/** In a full store, ended sessions are removed; an active one is never removed for another. */
export function createDatabaseSessions(collection: Collection): Sessions {
  let sweptAtMs = -Infinity
  let sweeping: Promise<void> | undefined
  const sweep = async (now: string) => {
    for await (const page of collection.pages()) {
      for (const { id, document } of page) {
        const isActive = isSession(document) && document.expiresAt > now && document.idleUntil > now
        if (!isActive) await collection.remove(id)
      }
    }
  }

  async function sweepNow(): Promise<void> {
    if (performance.now() - sweptAtMs < sweepPauseMs) return
    sweeping ??= sweep(new Date().toISOString()).finally(() => {
      sweptAtMs = performance.now()
      sweeping = undefined
    })
    await sweeping
  }

  return {
    create: async (id, session) => {
      const record = { id, document: { ...session }, createdAt: session.createdAt }
      const isCreated = await retryIfFull(() => collection.create(record), sweepNow)
      if (!isCreated) throw new Error('the new session id already exists')
    },
    find: async (idHash) => {
      const document = (await collection.find(idHash))?.document
      return isSession(document) ? document : undefined
    },
    touch: async (idHash, idleUntil) => {
      const record = await collection.find(idHash)
      if (record === undefined) return
      const document = { ...record.document, idleUntil }
      await collection.change({ ...record, document, updatedAt: new Date().toISOString() })
    },
    remove: collection.remove,
    clear: collection.clear,
    sweep,
  }
}
