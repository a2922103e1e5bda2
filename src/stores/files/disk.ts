import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreFailure } from '../store-failure.ts'
import { fileMode, folderMode } from '../file-modes.ts'
import type { Files, SavedFile } from './files.ts'

const pendingName = /^([A-Za-z0-9_-]+)\.part$/

/**
 * Files in the folder of `file:path`, which is created. A sweep removes a pending file that has no
 * record and has not grown for `abandonedSeconds`.
 */
export async function openDiskFiles(url: string, abandonedSeconds = 0): Promise<Files> {
  const folder = url.slice('file:'.length)
  await mkdir(folder, { recursive: true, mode: folderMode }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${url} cannot be opened: ${reason}`, { cause: error })
  })

  async function isAbandoned(path: string): Promise<boolean> {
    const { mtimeMs = Infinity } = (await stat(path).catch(() => undefined)) ?? {}
    return Date.now() - Math.floor(mtimeMs) >= abandonedSeconds * 1000
  }

  const toPath = (id: string) => join(folder, id)
  const toPendingPath = (id: string) => join(folder, `${id}.part`)

  async function keep(id: string): Promise<void> {
    try {
      await rename(toPendingPath(id), toPath(id))
    } catch (error) {
      // The sweep of another process may have been faster.
      if (!(await isThere(toPath(id)))) throw toStoreFailure(error)
    }
  }

  return {
    save: async (id, content) => {
      if (await isThere(toPath(id))) throw new Error(`there is a file ${id}`)
      return save(toPendingPath(id), content)
    },
    keep,
    read: async (id, start, end) => {
      // A handle for which no stream can be created is never closed, and ends the process when it
      // is collected.
      if (!isRange(start, end))
        throw new RangeError(`there are no bytes ${String(start)}-${String(end)}`)
      try {
        const file = await open(toPath(id))
        return file.createReadStream({ start, end })
      } catch (error) {
        if (hasCode(error, ['ENOENT'])) return undefined
        throw toStoreFailure(error)
      }
    },
    remove: async (id) => {
      const wasPending = await remove(toPendingPath(id))
      return (await remove(toPath(id))) || wasPending
    },
    sweep: async (isKnown) => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const id = entry.isFile() ? pendingName.exec(entry.name)?.[1] : undefined
        if (id === undefined) continue
        if (await isKnown(id)) await keep(id)
        else if (await isAbandoned(toPendingPath(id))) await remove(toPendingPath(id))
      }
    },
  }
}

function isRange(start: number, end: number): boolean {
  return Number.isSafeInteger(end) && start >= 0 && start <= end
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function remove(path: string): Promise<boolean> {
  try {
    await unlink(path)
    return true
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return false
    throw toStoreFailure(error)
  }
}

async function save(path: string, content: Readable): Promise<SavedFile> {
  const hash = createHash('sha256')
  let size = 0
  async function* measure(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  const file = createWriteStream(path, { flags: 'wx', mode: fileMode })
  try {
    await pipeline(content, measure, file)
  } catch (error) {
    // The file may still be opening, and would be created again after its removal.
    if (!file.closed) await new Promise((resolve) => file.once('close', resolve))
    if (!hasCode(error, ['EEXIST'])) await rm(path, { force: true })
    throw toStoreFailure(error)
  }
  return { size, sha256: hash.digest('hex') }
}

function toStoreFailure(error: unknown): unknown {
  if (hasCode(error, ['ENOSPC', 'EDQUOT', 'EFBIG'])) return new StoreFailure('full', error)
  const isDown = hasCode(error, ['EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOENT', 'EMFILE', 'ENFILE'])
  return isDown ? new StoreFailure('unavailable', error) : error
}

function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}
