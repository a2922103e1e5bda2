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
  /** As the client called it, without folders. */
  name: string
  /** The media type that the client named. */
  type: string
}

/** An upload as it is kept. `createdAt` is ISO 8601 in UTC. */
export type StoredUpload = Upload & { id: string; createdAt: string }

const fieldName = 'upfiles'
/** Room for the boundaries and the headers of one part. */
const framingBytes = 16 * 1024

/**
 * Keeps the one file of the form. Throws 415 when it is no multipart form, 413 when it is too large,
 * 507 when there is no `space` for it, 400 for any other shape and for another digest than was
 * announced; then nothing is kept.
 */
export async function saveUpload(
  request: FastifyRequest,
  services: UploadServices,
  space?: FileSpace,
): Promise<StoredUpload> {
  // Random throughout: whoever knows one id can guess no other.
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

/** Where a file is to be, and what it may take there. */
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
    throw unsupportedMediaType('A file comes in a form of the type multipart/form-data.', {
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
      if (upload !== undefined) throw badRequest(`Only one file may be sent, in ${fieldName}.`)
      assertNoOtherPart(part)
      const name = toDisplayName(part.fileName ?? '')
      upload = { ...(await save(files, part, place)), name, type: toType(part.type) }
    }
    if (upload === undefined) throw badRequest(`There is no file in ${fieldName}.`)
    const createdAt = new Date().toISOString()
    isRecorded = await uploads.create({ id, document: { ...upload }, createdAt })
    if (!isRecorded) throw new Error('a fresh id was taken')
    await files.keep(id)
    return { id, createdAt, ...upload }
  } catch (error) {
    const removed = upload && removeUpload({ files, uploads }, id, isRecorded)
    // A store that is silent would be waited for once more.
    if (isUnavailable(error)) removed?.catch(() => undefined)
    else await removed
    throw error
  }
}

/** A file without its record is swept; a record without its file would stay. */
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
  // The parser tells of an error before the content ends, at its end, or by destroying it.
  let told: unknown
  content.once('error', (error) => {
    told = error
  })
  try {
    return await files.save(id, share ? takeShare(content, share) : content)
  } catch (error) {
    // What the form did wrong is the client's; what the store did is not.
    const isOfContent = error === told || error === content.errored
    throw isOfContent ? toMultipartError(error) : error
  }
}

/** The same content, for which something of the share is taken as it comes. */
function takeShare(content: Readable, share: Share): Readable {
  async function* take() {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      share.take(chunk.length)
      yield chunk
    }
  }
  return Readable.from(take(), { objectMode: false })
}

/** What is not the file is refused before it is read. */
function assertNoOtherPart({ name, fileName }: Part): void {
  if (name !== fieldName) throw badRequest(`The form may have the field ${fieldName} and no other.`)
  // An input without a file is sent as a part with an empty file name.
  if (fileName === undefined || fileName === '')
    throw badRequest(`There is no file in ${fieldName}.`)
}

// Control characters, line and paragraph separators, and what turns the direction of writing.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** The last part of a path of any system, without what cannot be seen; at most 255 characters. */
function toDisplayName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1) ?? ''
  const [shown = ''] = /^.{0,255}/su.exec(name.toWellFormed().replace(invisible, '')) ?? []
  return shown || 'file'
}

function toType(type: string): string {
  return /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(type) ? type : 'application/octet-stream'
}
