import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, constants, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileMode } from '../file-modes.ts'
import { hasCode } from '../../config/has-code.ts'
import { filesUnavailable, failToOpen, StoreFailure } from '../store-failure.ts'
import { makeFolder } from '../made.ts'
import type { Files, SavedFile } from './files.ts'

const pendingName = /^([A-Za-z0-9_-]+)\.part$/

/** A sweep removes a pending file without a record that has not grown for `abandonedSeconds`. */
export async function openDiskFiles(url: string, abandonedSeconds = 0): Promise<Files> {
  const folder = url.slice('file:'.length)
  try {
    makeFolder(folder)
  } catch (error) {
    failToOpen(url, error)
  }
  const toPath = (id: string) => join(folder, id)
  const toPendingPath = (id: string) => join(folder, `${id}.part`)

  async function keep(id: string): Promise<void> {
    try {
      await rename(toPendingPath(id), toPath(id))
    } catch (error) {
      if (!(await findStats(toPath(id)))) failOnDisk(error)
    }
  }

  const check = () => access(`${folder}/.`, constants.W_OK | constants.X_OK).catch(failOnDisk)

  async function isAbandoned(id: string): Promise<boolean> {
    const { mtimeMs = Infinity } = (await findStats(toPendingPath(id))) ?? {}
    return Date.now() - Math.floor(mtimeMs) >= abandonedSeconds * 1000
  }

  return {
    save: async (id, content) => {
      if (await findStats(toPath(id))) throw new Error(`the file ${id} already exists`)
      return savePending(toPendingPath(id), content)
    },
    keep,
    read: async (id, start, end) => {
      // A handle without a stream is never closed, and ends the process when it is collected.
      if (!Number.isSafeInteger(end) || start < 0 || start > end)
        throw new RangeError(`bytes ${String(start)}-${String(end)}`)
      try {
        return (await open(toPath(id))).createReadStream({ start, end })
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || !(await findStats(folder))) failOnDisk(error)
        return undefined
      }
    },
    remove: async (id) => {
      // A folder that is missing for a moment still has the file, so its absence is no success.
      await check()
      await removePath(toPendingPath(id))
      await removePath(toPath(id))
    },
    check,
    sweep: async (isKnown) => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const id = entry.isFile() ? pendingName.exec(entry.name)?.[1] : undefined
        if (id === undefined) continue
        if (await isKnown(id)) await keep(id)
        else if (await isAbandoned(id)) await removePath(toPendingPath(id))
      }
    },
  }
}

const findStats = (path: string) => stat(path).catch(() => undefined)

const removePath = (path: string) => rm(path, { force: true }).catch(failOnDisk)

const blockBytes = 256 * 1024
/** A smaller chunk is written at once, so that a slow upload grows; it may be a buffer of the parser. */
const minCopiedBytes = 8192

/**
 * Copies chunks into one block, which `pipeline` writes before it continues, and frees them: as
 * garbage that counts as heap, they take as much CPU time as all other steps.
 */
async function* toBlocks(chunks: AsyncIterable<Buffer<ArrayBuffer>>, hash: Hash) {
  let block: Buffer | undefined
  let used = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    const { buffer, length } = chunk
    // The rest of a shared buffer belongs to others.
    const isCopied =
      length >= minCopiedBytes && length <= blockBytes && length === buffer.byteLength
    if (block && (!isCopied || used + length > blockBytes)) {
      yield block.subarray(0, used)
      used = 0
    }
    if (isCopied) {
      block ??= Buffer.allocUnsafeSlow(blockBytes)
      used += chunk.copy(block, used)
      buffer.transfer(0)
    } else yield chunk
  }
  if (block) yield block.subarray(0, used)
}

async function savePending(path: string, content: Readable): Promise<SavedFile> {
  const hash = createHash('sha256')
  // With any other limit, a block would be filled again while it is written.
  const file = createWriteStream(path, { flags: 'wx', mode: fileMode, highWaterMark: 1 })
  try {
    await pipeline(content, (chunks) => toBlocks(chunks, hash), file)
  } catch (error) {
    // The file may still be opening, and would be created again after its removal.
    if (!file.closed) await new Promise((resolve) => file.once('close', resolve))
    if (!hasCode(error, 'EEXIST')) await rm(path, { force: true }).catch(() => undefined)
    return failOnDisk(error)
  }
  return { size: file.bytesWritten, sha256: hash.digest('hex') }
}

/** The folder is not there, cannot be used, or is on a disk or server that does not respond. */
const unavailable =
  'EACCES EPERM EROFS EIO ENOENT EMFILE ENFILE ENOTDIR ELOOP ENODEV ENXIO ESTALE EHOSTDOWN ENOTCONN ETIMEDOUT'.split(
    ' ',
  )

function failOnDisk(error: unknown): never {
  if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG')) throw new StoreFailure('full', error)
  throw hasCode(error, ...unavailable)
    ? new StoreFailure('unavailable', error, filesUnavailable)
    : error
}
