import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileMode, folderMode } from '../file-modes.ts'
import { failToOpen, hasCode, StoreFailure } from '../store-failure.ts'
import type { Files, SavedFile } from './files.ts'

const pendingName = /^([A-Za-z0-9_-]+)\.part$/

/** A sweep removes a pending file without a record that has not grown for `abandonedSeconds`. */
export async function openDiskFiles(url: string, abandonedSeconds = 0): Promise<Files> {
  const folder = url.slice('file:'.length)
  const making = mkdir(folder, { recursive: true, mode: folderMode })
  await making.catch((error: unknown) => failToOpen(url, error))
  const toPath = (id: string) => join(folder, id)
  const toPendingPath = (id: string) => join(folder, `${id}.part`)

  async function keep(id: string): Promise<void> {
    try {
      await rename(toPendingPath(id), toPath(id))
    } catch (error) {
      if (!(await findStats(toPath(id)))) throw toStoreFailure(error)
    }
  }

  async function isAbandoned(id: string): Promise<boolean> {
    const { mtimeMs = Infinity } = (await findStats(toPendingPath(id))) ?? {}
    return Date.now() - Math.floor(mtimeMs) >= abandonedSeconds * 1000
  }

  return {
    save: async (id, content) => {
      if (await findStats(toPath(id))) throw new Error(`the file ${id} already exists`)
      return save(toPendingPath(id), content)
    },
    keep,
    read: async (id, start, end) => {
      // A handle without a stream is never closed, and ends the process when it is collected.
      if (!Number.isSafeInteger(end) || start < 0 || start > end)
        throw new RangeError(`bytes ${String(start)}-${String(end)}`)
      try {
        return (await open(toPath(id))).createReadStream({ start, end })
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined
        throw toStoreFailure(error)
      }
    },
    remove: async (id) => {
      await remove(toPendingPath(id))
      await remove(toPath(id))
    },
    sweep: async (isKnown) => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const id = entry.isFile() ? pendingName.exec(entry.name)?.[1] : undefined
        if (id === undefined) continue
        if (await isKnown(id)) await keep(id)
        else if (await isAbandoned(id)) await remove(toPendingPath(id))
      }
    },
  }
}

const findStats = (path: string) => stat(path).catch(() => undefined)

function remove(path: string): Promise<void> {
  return rm(path, { force: true }).catch((error: unknown) => {
    throw toStoreFailure(error)
  })
}

async function save(path: string, content: Readable): Promise<SavedFile> {
  const hash = createHash('sha256')
  content.on('data', (chunk: Buffer) => hash.update(chunk))
  const file = createWriteStream(path, { flags: 'wx', mode: fileMode })
  try {
    await pipeline(content, file)
  } catch (error) {
    // The file may still be opening, and would be created again after its removal.
    if (!file.closed) await new Promise((resolve) => file.once('close', resolve))
    if (!hasCode(error, 'EEXIST')) await rm(path, { force: true })
    throw toStoreFailure(error)
  }
  return { size: file.bytesWritten, sha256: hash.digest('hex') }
}

function toStoreFailure(error: unknown): unknown {
  if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG')) return new StoreFailure('full', error)
  const isDown = hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOENT', 'EMFILE', 'ENFILE')
  return isDown ? new StoreFailure('unavailable', error) : error
}
