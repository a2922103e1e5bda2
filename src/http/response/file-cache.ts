import { statSync, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** What changes with every change of a file; `ctimeMs` even where somebody sets the others back. */
export type FileVersion = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

interface FoundFile {
  /** Where it is looked at, before links are followed. */
  path: string
  realPath: string
  version: FileVersion
}

interface CachedFile<About> extends FoundFile {
  content: Buffer
  about: About
  /** When it was last found with all care, by `performance.now()`. */
  foundAt: number
}

interface Limits {
  /** Of one file. */
  maxFileBytes: number
  /** Of all together; whatever was not asked for longest leaves. */
  maxBytes: number
}

/** For how long a look at the file itself is enough, and none at the folders on the way to it. */
const trustedMs = 1000
/** What a file takes beside its content, however small that is. */
const overheadBytes = 4096
/** Two writes within one tick of a file system's clock look alike; the longest is FAT's. */
const clockTickMs = 2000

/**
 * Small files held in memory, which saves nine tenths of the time that a file of 4 KiB takes. No
 * stale file is ever given: each time, the path has to lead to the very version that was read.
 */
export function createFileCache<About>({ maxFileBytes, maxBytes }: Limits) {
  // Least recently asked for first.
  const files = new Map<string, CachedFile<About>>()
  let size = 0

  function remove(name: string): void {
    const file = files.get(name)
    if (file === undefined) return
    size -= file.content.length + overheadBytes
    files.delete(name)
  }

  return {
    /** What is kept under the name; undefined where that has to be found with all care (again). */
    find: (name: string): CachedFile<About> | undefined => {
      const file = files.get(name)
      if (file === undefined || performance.now() - file.foundAt > trustedMs) return undefined
      if (!isStillThere(file)) return undefined
      files.delete(name)
      files.set(name, file)
      return file
    },

    /** What is kept under the name, if that is what was found now, with all care. */
    confirm: (name: string, found: FoundFile): CachedFile<About> | undefined => {
      const file = files.get(name)
      if (file === undefined) return undefined
      if (isSameFile(file, found)) {
        file.foundAt = performance.now()
        return file
      }
      remove(name)
      return undefined
    },

    keep: (name: string, file: Omit<CachedFile<About>, 'foundAt'>): void => {
      remove(name)
      files.set(name, { ...file, foundAt: performance.now() })
      size += file.content.length + overheadBytes
      for (const oldest of files.keys()) {
        if (size <= maxBytes) return
        remove(oldest)
      }
    },

    /** Whether it is small enough, and so old that the next write will be seen. */
    takes: ({ size, ctimeMs }: FileVersion): boolean =>
      size <= maxFileBytes && Date.now() - ctimeMs > clockTickMs,

    /** All of an open file, to be kept; undefined where that is no more what was found. */
    read: async (file: FileHandle, version: FileVersion): Promise<Buffer | undefined> => {
      const { size } = version
      const content = Buffer.allocUnsafeSlow(size)
      const { bytesRead } = await file.read(content, 0, size, 0)
      const isWhole = bytesRead === size && isSameVersion(await file.stat(), version)
      return isWhole ? content : undefined
    },
  }
}

function isStillThere({ path, version }: FoundFile): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && isSameVersion(found, version)
  } catch {
    // Whoever looks with all care says what that means.
    return false
  }
}

function isSameFile(one: FoundFile, other: FoundFile): boolean {
  const isSamePlace = one.path === other.path && one.realPath === other.realPath
  return isSamePlace && isSameVersion(one.version, other.version)
}

function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return (
    one.ino === other.ino &&
    one.ctimeMs === other.ctimeMs &&
    one.mtimeMs === other.mtimeMs &&
    one.size === other.size &&
    one.dev === other.dev
  )
}
