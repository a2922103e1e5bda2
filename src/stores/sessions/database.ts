import type { Collection } from '../records/records.ts'
import { makeRoomIfFull } from '../store-failure.ts'
import { isSession, type Sessions } from './sessions.ts'

const sweepPauseMs = 1000

/** In a full store, ended sessions are removed; an active one is never removed for another. */
export function createDatabaseSessions(records: Collection): Sessions {
  let sweptAt = -Infinity
  let sweeping: Promise<void> | undefined
  const sweep = (now: string) => removeEnded(records, now)

  async function makeRoom(): Promise<void> {
    if (performance.now() - sweptAt < sweepPauseMs) return
    sweeping ??= sweep(new Date().toISOString()).finally(() => {
      sweptAt = performance.now()
      sweeping = undefined
    })
    await sweeping
  }

  return {
    create: async (id, session) => {
      const record = { id, document: { ...session }, createdAt: session.createdAt }
      const isCreated = await makeRoomIfFull(() => records.create(record), makeRoom)
      if (!isCreated) throw new Error('a fresh session id was taken')
    },
    find: async (idHash) => {
      const document = (await records.find(idHash))?.document
      return isSession(document) ? document : undefined
    },
    touch: async (idHash, idleUntil) => {
      const record = await records.find(idHash)
      if (record === undefined) return
      const document = { ...record.document, idleUntil }
      await records.change({ ...record, document, updatedAt: new Date().toISOString() })
    },
    remove: records.remove,
    sweep,
    clear: records.clear,
  }
}

async function removeEnded(records: Collection, now: string): Promise<void> {
  for await (const page of records.pages()) {
    for (const { id, document } of page) {
      const isActive = isSession(document) && document.expiresAt > now && document.idleUntil > now
      if (!isActive) await records.remove(id)
    }
  }
}
