import type { Readable } from 'node:stream'

export interface SavedFile {
  /** Bytes. */
  size: number
  /** Hexadecimal. */
  sha256: string
}

/** Files by id. An id consists of letters, digits, `_` and `-`. */
export interface Files {
  /**
   * Stores `content` as pending; {@link keep} makes it readable. Nothing is stored when the promise
   * rejects. Rejects when the id is taken.
   */
  save: (id: string, content: Readable) => Promise<SavedFile>

  /** Makes a pending file readable and permanent. Idempotent. */
  keep: (id: string) => Promise<void>

  /** Reads from `start` to `end`, both inclusive. Undefined when there is no such file. */
  read: (id: string, start: number, end: number) => Promise<Readable | undefined>

  /** Removes the file, pending or not. False when there was none. */
  remove: (id: string) => Promise<boolean>

  /**
   * Settles pending files after a crash: keeps those for which `isKnown` is true, and removes the
   * others once no process can still be saving them.
   */
  sweep: (isKnown: (id: string) => Promise<boolean>) => Promise<void>
}
