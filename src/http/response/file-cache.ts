import { statSync, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Changes with every change of a file; `ctimeMs` even where the other times are set back. */
export type FileVersion = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

interface FoundFile {
  /** Before links are followed. */
  path: string
  realPath: string
  version: FileVersion
}

interface CachedFile<Metadata> extends FoundFile {
  content: Buffer
  metadata: Metadata
  checkedAt: number
}

interface Limits {
  maxFileBytes: number
  maxBytes: number
}

/** How long the file alone is checked, and not the folders of its path. */
const trustedMs = 1000
const overheadBytes = 4096
/** Two writes within one tick of a file system's clock look alike; FAT has the longest. */
const clockTickMs = 2000

/** A least-recently-used cache of small files. Every read checks that the path has the cached version. */
export function createFileCache<Metadata>({ maxFileBytes, maxBytes }: Limits) {
  const files = new Map<string, CachedFile<Metadata>>()
  let totalBytes = 0

  function remove(name: string): void {
    const file = files.get(name)
    if (file === undefined) return
    totalBytes -= file.content.length + overheadBytes
    files.delete(name)
  }

  return {
    /** Undefined for a file that has to be found (again) by its whole path. */
    find: (name: string): CachedFile<Metadata> | undefined => {
      const file = files.get(name)
      if (file === undefined || performance.now() - file.checkedAt > trustedMs) return undefined
      if (!isUnchanged(file)) return undefined
      files.delete(name)
      files.set(name, file)
      return file
    },

    /** The cached file, if it is the one that was found now; otherwise it is removed. */
    confirm: (name: string, found: FoundFile): CachedFile<Metadata> | undefined => {
      const file = files.get(name)
      if (file !== undefined && isSameFile(file, found)) {
        file.checkedAt = performance.now()
        return file
      }
      remove(name)
      return undefined
    },

    add: (name: string, file: Omit<CachedFile<Metadata>, 'checkedAt'>): void => {
      remove(name)
      files.set(name, { ...file, checkedAt: performance.now() })
      totalBytes += file.content.length + overheadBytes
      for (const oldest of files.keys()) {
        if (totalBytes <= maxBytes) return
        remove(oldest)
      }
    },

    /** Whether the file is small, and old enough that its next change is detected. */
    accepts: ({ size, ctimeMs }: FileVersion): boolean =>
      size <= maxFileBytes && Date.now() - ctimeMs > clockTickMs,

    /** The content of an open file; undefined if it is not `version` any more. */
    read: async (file: FileHandle, version: FileVersion): Promise<Buffer | undefined> => {
      const content = Buffer.allocUnsafeSlow(version.size)
      const { bytesRead } = await file.read(content, 0, version.size, 0)
      const isWhole = bytesRead === version.size && isSameVersion(await file.stat(), version)
      return isWhole ? content : undefined
    },
  }
}

function isUnchanged({ path, version }: FoundFile): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && isSameVersion(found, version)
  } catch {
    return false
  }
}

function isSameFile(one: FoundFile, other: FoundFile): boolean {
  const hasSamePaths = one.path === other.path && one.realPath === other.realPath
  return hasSamePaths && isSameVersion(one.version, other.version)
}

const versionFields = ['ino', 'ctimeMs', 'mtimeMs', 'size', 'dev'] as const

function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return versionFields.every((field) => one[field] === other[field])
}
