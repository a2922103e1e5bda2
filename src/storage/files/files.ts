import type { Readable } from 'node:stream'

export interface SavedFile {
  /** In bytes. */
  size: number
  /** In hexadecimal. */
  sha256: string
}

/**
 * Files by id, without names or types: those are the caller's to keep. An id is made of letters,
 * digits, `_` and `-`.
 */
export interface Files {
  /**
   * Keeps what `content` brings. The file is there, whole, when the promise resolves; when it
   * rejects, because of `content` or of the store, nothing is. Rejects when the id is taken, and
   * then leaves what is there.
   */
  save: (id: string, content: Readable) => Promise<SavedFile>

  /** Reads from `start` to `end`, both inclusive. The stream fails when there is no such file. */
  read: (id: string, start: number, end: number) => Readable

  /** False when there was none. */
  remove: (id: string) => Promise<boolean>

  /** Removes every file whose id `isKept` says no of, half written ones of a crash among them. */
  sweep: (isKept: (id: string) => Promise<boolean>) => Promise<void>
}
