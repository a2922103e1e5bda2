import type { Collection } from '../records/records.ts'
import { isFull } from '../store-failure.ts'
import { isSession, type Sessions } from './sessions.ts'

const sweepPauseMs = 1000

/** In a full store, ended sessions make room; an active one is never removed for another. */
export function createDatabaseSessions(records: Collection): Sessions {
  let sweptAt = -Infinity
  let sweeping: Promise<void> | undefined

  async function sweep(now: string): Promise<void> {
    for await (const page of records.pages()) {
      for (const { id, document } of page) {
        const isActive = isSession(document) && document.expiresAt > now && document.idleUntil > now
        if (!isActive) await records.remove(id)
      }
    }
  }

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
      const create = () =>
        records.create({ id, document: { ...session }, createdAt: session.createdAt })
      const isCreated = await create().catch(async (error: unknown) => {
        if (!isFull(error)) throw error
        await makeRoom()
        return create()
      })
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
      // A concurrent touch does the same.
      await records.change({ ...record, document, updatedAt: new Date().toISOString() })
    },
    remove: (idHash) => records.remove(idHash),
    sweep,
    clear: () => records.clear(),
  }
}
