import { lstatSync, type Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

type FileVersion = Pick<Stats, 'ino' | 'ctimeMs' | 'mtimeMs' | 'size' | 'dev'>

interface CachedFile<Metadata> {
  path: string
  folders: readonly string[]
  version: FileVersion
  metadata: Metadata
}

const overheadBytes = 4096
/** Two writes within one tick of a file system's clock look alike; FAT has the longest. */
export const clockTickMs = 2000

/** A least-recently-used cache of small files. Every read checks that the path has the cached version. */
export function createFileCache<Metadata>(limits: { maxFileBytes: number; maxBytes: number }) {
  const files = new Map<string, CachedFile<Metadata>>()
  let totalBytes = 0
  const take = (name: string): CachedFile<Metadata> | undefined => {
    const file = files.get(name)
    if (file && files.delete(name)) totalBytes -= file.version.size + overheadBytes
    return file
  }
  /** The path must have no symbolic link: it could change to a hard link of the same file. */
  const add = (name: string, file: CachedFile<Metadata>): void => {
    take(name)
    files.set(name, file)
    totalBytes += file.version.size + overheadBytes
    for (const oldest of files.keys()) {
      if (totalBytes <= limits.maxBytes) return
      take(oldest)
    }
  }
  const find = (name: string): Metadata | undefined => {
    const file = take(name)
    if (file === undefined || !isUnchanged(file)) return undefined
    add(name, file)
    return file.metadata
  }
  /** Undefined if the file is large or not `version`, or so new that a change could look the same. */
  const read = async (open: () => Promise<FileHandle>, version: FileVersion) => {
    const { size, ctimeMs } = version
    const isOld = Date.now() - ctimeMs > clockTickMs
    if (size > limits.maxFileBytes || !isOld) return undefined
    await using file = await open()
    const content = Buffer.allocUnsafeSlow(size)
    const { bytesRead } = await file.read(content, 0, size, 0)
    const isWhole = bytesRead === size && isSameVersion(await file.stat(), version)
    return isWhole ? content : undefined
  }
  return { add, find, read }
}

/**
 * A folder that was moved, and replaced by a link to it, leaves its files unchanged. Synchronous: the
 * kernel has the inodes in memory. Only a network file system can block here.
 */
function isUnchanged({ path, folders, version }: CachedFile<unknown>): boolean {
  try {
    const isSame = isSameVersion(lstatSync(path), version)
    return isSame && folders.every((folder) => lstatSync(folder).isDirectory())
  } catch {
    return false
  }
}

function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  const isSameFile = one.ino === other.ino && one.dev === other.dev && one.size === other.size
  return isSameFile && one.ctimeMs === other.ctimeMs && one.mtimeMs === other.mtimeMs
}
