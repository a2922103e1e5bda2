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
   * Takes what `content` brings. It is there, whole, when the promise resolves, and waits for
   * {@link keep}; when the promise rejects, because of `content` or of the store, nothing is there.
   * Rejects when the id is taken, and then leaves what is there.
   */
  save: (id: string, content: Readable) => Promise<SavedFile>

  /** Makes of what was saved a file that can be read and that no sweep removes; twice is as once. */
  keep: (id: string) => Promise<void>

  /** Reads from `start` to `end`, both inclusive. Undefined when there is no such file. */
  read: (id: string, start: number, end: number) => Promise<Readable | undefined>

  /** Saved or kept; false when there was neither. */
  remove: (id: string) => Promise<boolean>

  /**
   * Settles what a crash left between {@link save} and {@link keep}: a file whose id `isKnown` says
   * yes of is kept, any other removed when nobody can be saving it any more, here or in another
   * process. Touches no file that is kept.
   */
  sweep: (isKnown: (id: string) => Promise<boolean>) => Promise<void>
}
