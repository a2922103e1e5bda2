import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreFailure } from '../failure.ts'
import type { Files, SavedFile } from './files.ts'

/** Whatever else is in the folder is somebody else's. */
const fileId = /^[A-Za-z0-9_-]+$/

/** Files in the folder of `file:path`, which is created. Throws when it cannot be. */
export async function openDiskFiles(url: string): Promise<Files> {
  const folder = url.slice('file:'.length)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${url} cannot be opened: ${reason}`, { cause: error })
  })

  async function remove(id: string): Promise<boolean> {
    try {
      await unlink(join(folder, id))
      return true
    } catch (error) {
      if (hasCode(error, ['ENOENT'])) return false
      throw toStoreFailure(error)
    }
  }

  return {
    save: (id, content) => save(join(folder, id), content),
    remove,
    read: (id, start, end) => createReadStream(join(folder, id), { start, end }),
    sweep: async (isKept) => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const isOurs = entry.isFile() && fileId.test(entry.name)
        if (isOurs && !(await isKept(entry.name))) await remove(entry.name)
      }
    },
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
  try {
    await pipeline(content, measure, createWriteStream(path, { flags: 'wx' }))
  } catch (error) {
    // What was there before stays.
    if (!hasCode(error, ['EEXIST'])) await rm(path, { force: true })
    throw toStoreFailure(error)
  }
  return { size, sha256: hash.digest('hex') }
}

/** What the file system says of itself; what `content` said goes on as it is. */
function toStoreFailure(error: unknown): unknown {
  if (hasCode(error, ['ENOSPC', 'EDQUOT', 'EFBIG'])) return new StoreFailure('full', error)
  const isDown = hasCode(error, ['EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOENT', 'EMFILE', 'ENFILE'])
  return isDown ? new StoreFailure('unavailable', error) : error
}

function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}
