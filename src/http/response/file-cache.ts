import { statSync, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Changes with every change of a file; `ctimeMs` even where the other times are set back. */
type FileVersion = Pick<Stats, (typeof versionFields)[number]>
const versionFields = ['ino', 'ctimeMs', 'mtimeMs', 'size', 'dev'] as const

interface CachedFile<Metadata> {
  path: string
  version: FileVersion
  metadata: Metadata
}

const overheadBytes = 4096
/** Two writes within one tick of a file system's clock look alike; FAT has the longest. */
const clockTickMs = 2000

/** A least-recently-used cache of small files. Every read checks that the path has the cached version. */
export function createFileCache<Metadata>(limits: { maxFileBytes: number; maxBytes: number }) {
  const files = new Map<string, CachedFile<Metadata>>()
  let totalBytes = 0

  function take(name: string): CachedFile<Metadata> | undefined {
    const file = files.get(name)
    if (file && files.delete(name)) totalBytes -= file.version.size + overheadBytes
    return file
  }

  function put(name: string, file: CachedFile<Metadata>): void {
    take(name)
    files.set(name, file)
    totalBytes += file.version.size + overheadBytes
  }

  return {
    find: (name: string): Metadata | undefined => {
      const file = take(name)
      if (file === undefined || !isUnchanged(file)) return undefined
      put(name, file)
      return file.metadata
    },

    /** For a file that no symbolic link leads to: a link could change to a hard link of the same file. */
    add: (name: string, file: CachedFile<Metadata>): void => {
      put(name, file)
      for (const oldest of files.keys()) {
        if (totalBytes <= limits.maxBytes) return
        take(oldest)
      }
    },

    /** Whether the file is small, and old enough that its next change is detected. */
    accepts: ({ size, ctimeMs }: FileVersion): boolean =>
      size <= limits.maxFileBytes && Date.now() - ctimeMs > clockTickMs,

    /** The content of an open file; undefined if it is not `version` any more. */
    read: async (file: FileHandle, version: FileVersion): Promise<Buffer | undefined> => {
      const content = Buffer.allocUnsafeSlow(version.size)
      const { bytesRead } = await file.read(content, 0, version.size, 0)
      const isWhole = bytesRead === version.size && isSameVersion(await file.stat(), version)
      return isWhole ? content : undefined
    },
  }
}

function isUnchanged({ path, version }: CachedFile<unknown>): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && isSameVersion(found, version)
  } catch {
    return false
  }
}

function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return versionFields.every((field) => one[field] === other[field])
}
