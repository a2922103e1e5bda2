import { createExpiring } from '../expiring.ts'
import type { Collection } from '../records/records.ts'
import { isSession, type Sessions } from './sessions.ts'

/** In a full store, ended sessions are removed; an active one is never removed for another. */
export function createDatabaseSessions(collection: Collection): Sessions {
  const { create, sweep } = createExpiring(collection, {
    toEnd: ({ document }) => {
      if (!isSession(document)) return ''
      const { expiresAt, idleUntil } = document
      return expiresAt < idleUntil ? expiresAt : idleUntil
    },
  })
  return {
    create: async (id, session) => {
      const isCreated = await create({ id, document: { ...session }, createdAt: session.createdAt })
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
