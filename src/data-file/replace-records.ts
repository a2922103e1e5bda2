import type { XStatic } from 'typebox/schema'
import { maxRecordsAtOnce } from '../config/limits.ts'
import { conflict } from '../http/errors/http-error.ts'
import { textSchema, type Records } from '../stores/records/records.ts'

/** The document of a snapshot. Its records are in another collection, so that a list does not load them. */
export const snapshotSchema = {
  type: 'object',
  required: ['records'],
  properties: { records: { type: 'integer' } },
} as const

// `additionalProperties` makes the inferred type an object of unknown members.
const savedRecord = {
  type: 'array',
  minItems: 2,
  maxItems: 2,
  prefixItems: [textSchema, { type: 'object', additionalProperties: {} }],
} as const

export const savedSchema = {
  type: 'object',
  required: ['saved'],
  properties: {
    saved: { type: 'object', additionalProperties: { type: 'array', items: savedRecord } },
  },
} as const

export type SavedRecords = XStatic<typeof savedSchema>['saved']
export type SavedRecord = XStatic<typeof savedRecord>

const maxAttempts = 10

/** Writes in one transaction: a request reads the records of before, or these. */
export async function replaceRecords(records: Records, saved: SavedRecords): Promise<void> {
  for (const [name, all] of Object.entries(saved)) {
    const collection = records.collection(name)
    if (all.length === 0 && (await collection.count()) > maxRecordsAtOnce) await collection.clear()
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    // An earlier ETag must not match: it has the time of the creation.
    const firstMs = Date.now()
    const steps = Object.entries(saved).map(([name, all]) => ({
      collection: name,
      kind: 'replace' as const,
      records: all.map(([id, document], index) => {
        return { id, document, createdAt: new Date(firstMs - all.length + index).toISOString() }
      }),
    }))
    if ((await records.commit(steps)) === undefined) return
  }
  throw conflict('Other requests are writing.')
}
