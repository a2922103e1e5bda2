import { eachPage, type Records, type StoredRecord } from '../records/records.ts'
import type { Answers, Claim, StandingClaim } from './answers.ts'

// No resource can have this name, so no route leads here.
const resource = '~answers'

/** Answers as records of the database, whichever that is. */
export function createDatabaseAnswers(records: Records): Answers {
  const now = () => new Date().toISOString()
  return {
    create: (keyHash, claim) =>
      records.create(resource, { id: keyHash, document: { ...claim }, createdAt: now() }),
    find: async (keyHash) => {
      const record = await records.find(resource, keyHash)
      return record && toStandingClaim(record)
    },
    change: (keyHash, version, claim) =>
      records.change(resource, { id: keyHash, version, document: { ...claim }, updatedAt: now() }),
    remove: (keyHash, version) => records.remove(resource, keyHash, version),
    sweep: async (time) => {
      for await (const page of eachPage(records, resource)) {
        const expired = page.filter((record) => toStandingClaim(record).expiresAt <= time)
        for (const { id, version } of expired) await records.remove(resource, id, version)
        // All are kept equally long, so what follows is younger.
        if (expired.length === 0) return
      }
    },
  }
}

function toStandingClaim({ document, version }: StoredRecord): StandingClaim {
  return { ...(document as unknown as Claim), version }
}
