import { eachPage, type Records } from '../records/records.ts'
import type { Session, Sessions } from './sessions.ts'

// No resource can have this name, so no route leads here.
const resource = '~sessions'

/** Sessions as records of the database, whichever that is. */
export function createDatabaseSessions(records: Records): Sessions {
  return {
    create: async (idHash, session) => {
      const record = { id: idHash, document: { ...session }, createdAt: session.createdAt }
      if (!(await records.create(resource, record))) throw new Error('a fresh session id was taken')
    },
    find: async (idHash) => {
      const record = await records.find(resource, idHash)
      return record && toSession(record.document)
    },
    touch: async (idHash, idleUntil) => {
      const record = await records.find(resource, idHash)
      if (record === undefined) return
      const document = { ...record.document, idleUntil }
      // Whoever was quicker has touched it too.
      await records.change(resource, { ...record, document, updatedAt: new Date().toISOString() })
    },
    remove: (idHash) => records.remove(resource, idHash),
    sweep: async (now) => {
      for await (const page of eachPage(records, resource)) {
        for (const { id, document } of page) {
          const { expiresAt, idleUntil } = toSession(document)
          if (expiresAt <= now || idleUntil <= now) await records.remove(resource, id)
        }
      }
    },
  }
}

function toSession(document: object): Session {
  return document as Session
}
