import { isFull } from '../store-failure.ts'
import type { Collection } from '../records/records.ts'
import type { Session, Sessions } from './sessions.ts'

/** A sweep takes as long as there are sessions. */
const sweepPauseMs = 1000

/**
 * Sessions as records. In a full store, ended sessions make room; an active one is never removed
 * for another.
 */
export function createDatabaseSessions(records: Collection): Sessions {
  let sweptAt = -Infinity
  let sweeping: Promise<void> | undefined

  async function sweep(now: string): Promise<void> {
    for await (const page of records.pages()) {
      for (const { id, document } of page) {
        const { expiresAt, idleUntil } = toSession(document)
        if (expiresAt <= now || idleUntil <= now) await records.remove(id)
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
    create: async (idHash, session) => {
      const record = { id: idHash, document: { ...session }, createdAt: session.createdAt }
      const create = () => records.create(record)
      const isCreated = await create().catch(async (error: unknown) => {
        if (!isFull(error)) throw error
        await makeRoom()
        return create()
      })
      if (!isCreated) throw new Error('a fresh session id was taken')
    },
    find: async (idHash) => {
      const record = await records.find(idHash)
      return record && toSession(record.document)
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

function toSession(document: object): Session {
  return document as Session
}
