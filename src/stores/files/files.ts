import type { Readable } from 'node:stream'
import type { XStatic } from 'typebox/schema'
import { textSchema } from '../records/records.ts'

export const savedFileSchema = {
  type: 'object',
  required: ['size', 'sha256'],
  properties: {
    size: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The size in bytes.',
    },
    sha256: { ...textSchema, pattern: '^[0-9a-f]{64}$' },
  },
} as const

export type SavedFile = XStatic<typeof savedFileSchema>

/** Files by id. An id consists of letters, digits, `_` and `-`. */
export interface Files {
  /**
   * Stores `content` as pending, and may free its chunks. The id must be new: callers create a random one, or
   * remove the file first. Rejects, and stores nothing, when this process has a pending file with the id.
   */
  save: (id: string, content: Readable) => Promise<SavedFile>
  keep: (id: string) => Promise<void>
  /** `start` and `end` are inclusive. */
  read: (id: string, start: number, end: number) => Promise<Readable | undefined>
  remove: (id: string) => Promise<void>
  /** After a crash, keeps the pending files that are known and removes those that are abandoned. */
  sweep: (isKnown: (id: string) => Promise<boolean>) => Promise<void>
  check: () => Promise<unknown>
}
