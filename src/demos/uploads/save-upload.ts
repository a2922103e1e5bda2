import type { FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { toMediaType } from '../../http/body/body-reader.ts'
import { parseMultipart, toMultipartError, type Part } from '../../http/body/multipart.ts'
import { badRequest, unsupportedMediaType } from '../../http/errors/http-error.ts'
import type { Services } from '../../site/demo.ts'
import { isUnavailable } from '../../stores/store-failure.ts'
import type { Files, SavedFile } from '../../stores/files/files.ts'
import type { Collection } from '../../stores/records/records.ts'
import type { FileSpace, Share } from './file-space.ts'

/** What uploads are stored with. */
export type UploadServices = Pick<Services, 'config' | 'files'> & { uploads: Collection }

/** What the database keeps of an upload, beside its id and its time. */
export type Upload = SavedFile & {
  /** The name that the client sent, without folders. */
  name: string
  /** The media type that the client sent. */
  type: string
}

/** A stored upload. `createdAt` is ISO 8601 in UTC. */
export type StoredUpload = Upload & { id: string; createdAt: string }

const fieldName = 'upfiles'
/** Space for the boundaries and the headers of one part. */
const framingBytes = 16 * 1024

/**
 * Stores the file of the form. Throws 415 for a body that is not a multipart form, 413 for a file that
 * is too large, 507 without `space`, and 400 for any other form or a wrong digest.
 */
export async function saveUpload(
  request: FastifyRequest,
  services: UploadServices,
  space?: FileSpace,
): Promise<StoredUpload> {
  // Fully random, so that ids cannot be guessed.
  const id = randomBytes(16).toString('base64url')
  const share = await space?.(id)
  try {
    const upload = await receiveFile(request, services, { id, share })
    share?.keep()
    return upload
  } finally {
    share?.release()
  }
}

interface Place {
  id: string
  share: Share | undefined
}

async function receiveFile(
  request: FastifyRequest,
  { config, files, uploads }: UploadServices,
  place: Place,
): Promise<StoredUpload> {
  const isMultipart = toMediaType(request.headers['content-type']) === 'multipart/form-data'
  if (!isMultipart || !config.bodyReaders.includes('multipart')) {
    throw unsupportedMediaType('An upload must be multipart/form-data.', {
      'accept-post': 'multipart/form-data',
    })
  }
  const limits = {
    parts: 2,
    maxPartBytes: config.maxUploadBytes,
    maxBytes: config.maxUploadBytes + framingBytes,
    times: config,
  }
  const { id } = place
  let upload: Upload | undefined
  let isRecorded = false
  try {
    for await (const part of parseMultipart(request, limits)) {
      if (upload !== undefined) throw badRequest(`Upload one file, in ${fieldName}.`)
      assertNoOtherPart(part)
      const name = toDisplayName(part.fileName ?? '')
      upload = { ...(await save(files, part, place)), name, type: toType(part.type) }
    }
    if (upload === undefined) throw badRequest(`${fieldName} has no file.`)
    const createdAt = new Date().toISOString()
    isRecorded = await uploads.create({ id, document: { ...upload }, createdAt })
    if (!isRecorded) throw new Error('the new id exists')
    await files.keep(id)
    return { id, createdAt, ...upload }
  } catch (error) {
    const removed = upload && removeUpload({ files, uploads }, id, isRecorded)
    // Do not wait for a store that does not respond a second time.
    if (isUnavailable(error)) removed?.catch(() => undefined)
    else await removed
    throw error
  }
}

/** A file without a record is swept, but a record without a file is not. */
async function removeUpload(
  { files, uploads }: Omit<UploadServices, 'config'>,
  id: string,
  isRecorded: boolean,
): Promise<void> {
  if (isRecorded) await uploads.remove(id)
  await files.remove(id)
  await uploads.remove(id)
}

async function save(files: Files, { content }: Part, { id, share }: Place): Promise<SavedFile> {
  // The parser reports an error by an event or by destroying the content.
  let parserError: unknown
  content.once('error', (error) => {
    parserError = error
  })
  try {
    return await files.save(id, share ? takeShare(content, share) : content)
  } catch (error) {
    // Errors of the form are the client's, errors of the store are not.
    const isOfContent = error === parserError || error === content.errored
    throw isOfContent ? toMultipartError(error) : error
  }
}

/** The content, whose bytes are reserved as they arrive. */
function takeShare(content: Readable, share: Share): Readable {
  async function* take() {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      share.take(chunk.length)
      yield chunk
    }
  }
  return Readable.from(take(), { objectMode: false })
}

/** Throws 400 for any other part, before it is read. */
function assertNoOtherPart({ name, fileName }: Part): void {
  if (name !== fieldName) throw badRequest(`The form must have no field but ${fieldName}.`)
  // An input without a file is sent as a part with an empty file name.
  if (fileName === undefined || fileName === '') throw badRequest(`${fieldName} has no file.`)
}

// Control characters, line and paragraph separators, and bidirectional controls.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** The file name without folders and invisible characters; at most 255 characters. */
function toDisplayName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1) ?? ''
  const [shown = ''] = /^.{0,255}/su.exec(name.toWellFormed().replace(invisible, '')) ?? []
  return shown || 'file'
}

function toType(type: string): string {
  return /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(type) ? type : 'application/octet-stream'
}
