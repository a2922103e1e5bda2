import { createHash } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import { filesUnavailable, isUnavailable, StoreFailure, toReason } from '../../store-failure.ts'
import type { Files, SavedFile } from '../files.ts'
import { S3Error, createS3Client, type S3Client, type S3Settings } from './client.ts'
import * as multipart from './uploads.ts'

export interface S3FilesOptions extends S3Settings {
  maxUploadBytes: number
  abandonedSeconds: number
  /** Only tests set it: a process that runs many of them can be busy for longer than S3 may be silent. */
  silenceMs?: number
}

const minPartBytes = 5 * 1024 ** 2
const maxParts = 10_000

export async function openS3Files(options: S3FilesOptions) {
  const s3 = createS3Client(options, options.silenceMs)
  let problem: string | undefined
  try {
    await s3.send({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1' } })
  } catch (error) {
    const cause = error instanceof StoreFailure ? error.cause : error
    problem = toReason(cause)
    if (cause instanceof S3Error && cause.status < 500 && cause.status !== 429) {
      s3.close()
      throw new Error(`FILES_URL cannot be used: ${problem}`, { cause: error })
    }
  }
  return { files: createS3Files(s3, options), close: s3.close, problem }
}

/** A sweep finds files by the object `pending/<id>`: not every server lists multipart uploads. */
function createS3Files(s3: S3Client, { maxUploadBytes, abandonedSeconds }: S3FilesOptions): Files {
  const partBytes = Math.max(minPartBytes, Math.ceil(maxUploadBytes / maxParts))
  const uploads = new Map<string, multipart.S3Upload | undefined>()

  const isThere = async (id: string) =>
    (await multipart.toFound(s3.send({ method: 'HEAD', name: id }))) !== undefined
  const unmark = (id: string) => s3.send({ method: 'DELETE', name: toMarker(id) })

  async function save(id: string, content: Readable): Promise<SavedFile> {
    let isBegun = false
    try {
      if (uploads.has(id)) throw new Error(`the file ${id} is pending already`)
      uploads.set(id, undefined)
      isBegun = true
      return await receive(id, content)
    } catch (error) {
      const removed = isBegun && remove(id).catch(() => undefined)
      // An unresponsive store would be waited for once more.
      if (!isUnavailable(error)) await removed
      throw error
    } finally {
      content.destroy()
    }
  }

  async function receive(id: string, content: Readable): Promise<SavedFile> {
    const marking = s3.send({ method: 'PUT', name: toMarker(id) })
    const beginning = multipart.beginUpload(s3, id)
    // Both have ended before a failure removes what was created.
    await Promise.allSettled([marking, beginning])
    await marking
    const upload = await beginning
    const hash = createHash('sha256')
    let size = 0
    for await (const part of toParts(content, partBytes)) {
      hash.update(part)
      size += part.length
      await multipart.addPart(s3, upload, part)
    }
    uploads.set(id, upload)
    return { size, sha256: hash.digest('hex') }
  }

  async function complete(id: string): Promise<boolean> {
    const upload = uploads.get(id) ?? (await multipart.findUpload(s3, id))
    const isCompleted = upload !== undefined && (await multipart.completeUpload(s3, upload))
    // A sweep, or an attempt whose response was lost, may have completed it.
    const isKept = isCompleted || (await isThere(id))
    await unmark(id)
    uploads.delete(id)
    return isKept
  }

  /** The upload is aborted before the object is removed: it could still become one. */
  async function remove(id: string): Promise<void> {
    uploads.delete(id)
    await multipart.abortUploads(s3, id)
    await s3.send({ method: 'DELETE', name: id })
    await unmark(id)
  }

  return {
    save,
    keep: async (id) => {
      if (!(await complete(id)))
        throw new StoreFailure('unavailable', `nothing was saved as ${id}`, filesUnavailable)
    },
    read: async (id, start, end) => {
      const range = `bytes=${String(start)}-${String(end)}`
      const opening = s3.open({ method: 'GET', name: id, headers: { range } })
      const response = await multipart.toFound(opening)
      if (response === undefined) return undefined
      if (response.statusCode === 206) return toContent(response)
      response.destroy()
      throw new Error('S3 responded without the requested range')
    },
    check: () => isThere('ready'),
    remove,
    sweep: async (isKnown) => {
      for await (const { name, ageSeconds } of multipart.listObjects(s3, toMarker(''))) {
        const id = name.slice(toMarker('').length)
        if (await isKnown(id)) await complete(id)
        else if (ageSeconds >= abandonedSeconds) await remove(id)
      }
    },
  }
}

function toContent(response: Readable): Readable {
  const content = new PassThrough()
  response.once('error', (error) =>
    content.destroy(new StoreFailure('unavailable', error, filesUnavailable)),
  )
  content.once('close', () => response.destroy())
  return response.pipe(content)
}

const toMarker = (id: string) => `pending/${id}`

/** Some servers require parts of one size, except for the last. */
async function* toParts(content: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let length = 0
  let count = 0
  for await (let chunk of content) {
    while (length + chunk.length >= size) {
      const last = chunk.subarray(0, size - length)
      chunk = chunk.subarray(last.length)
      yield Buffer.concat([...chunks, last])
      chunks = []
      length = 0
      count += 1
    }
    chunks.push(chunk)
    length += chunk.length
  }
  if (length > 0 || count === 0) yield Buffer.concat(chunks)
}
