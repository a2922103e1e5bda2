import type { FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { XStatic } from 'typebox/schema'
import { multipartType, toMediaType } from '../../http/body/body-reader.ts'
import { readForm, type FormPart } from '../../http/body/multipart.ts'
import { takeFormHeaders } from '../../http/request/parameters.ts'
import { badRequest, unsupportedMediaType } from '../../http/errors/http-error.ts'
import type { Services } from '../../site/demo.ts'
import { savedFileSchema } from '../../stores/files/files.ts'
import { textSchema, type Collection, type StoredRecord } from '../../stores/records/records.ts'
import { isUnavailable } from '../../stores/store-failure.ts'
import type { FileSpace, Share } from './file-space.ts'

export const uploadSchema = {
  type: 'object',
  required: ['name', 'type', 'size', 'sha256'],
  properties: {
    name: { ...textSchema, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
    type: {
      ...textSchema,
      pattern: '^[\\w!#$&^.+-]{1,100}/[\\w!#$&^.+-]{1,100}$',
      description: 'The media type that the client sent.',
    },
    ...savedFileSchema.properties,
  },
} as const

export type Upload = XStatic<typeof uploadSchema>

export type UploadServices = Pick<Services, 'config' | 'files' | 'records'> & {
  uploads: Collection
  findSpace: () => FileSpace | undefined
  formPath: string
}

export type StoredUpload = Upload & { _id: string; createdAt: string }

const fieldName = 'upfiles'

interface Arriving {
  id: string
  share: Share | undefined
  isSaved: boolean
  isRecorded: boolean
}

/** The text fields beside the file are not stored. */
export async function saveUpload(request: FastifyRequest, services: UploadServices) {
  const { files, uploads, findSpace } = services
  // The id is fully random, so that it cannot be guessed.
  const id = randomBytes(16).toString('base64url')
  const share = await findSpace()?.begin(id)
  const arriving = { id, share, isSaved: false, isRecorded: false }
  let isStored = false
  try {
    const { upload, ignored } = await receiveFile(request, services, arriving)
    const createdAt = new Date().toISOString()
    arriving.isRecorded = await uploads.create({ id, document: { ...upload }, createdAt })
    if (!arriving.isRecorded) throw new Error('the new id exists')
    await files.keep(id)
    isStored = true
    return { upload: toStoredUpload({ id, createdAt }, upload), ignored }
  } catch (error) {
    const removed = removeUpload(services, arriving)
    // Do not wait for a store that does not respond a second time.
    if (isUnavailable(error)) removed.catch(() => undefined)
    else await removed
    throw error
  } finally {
    share?.end(isStored)
  }
}

export function toStoredUpload(
  { id, createdAt }: Pick<StoredRecord, 'id' | 'createdAt'>,
  { name, type, size, sha256 }: Upload,
): StoredUpload {
  return { _id: id, name, type, size, sha256, createdAt }
}

async function receiveFile(request: FastifyRequest, services: UploadServices, arriving: Arriving) {
  const { config, files } = services
  if (!config.bodyReaders.includes('multipart')) {
    throw unsupportedMediaType('Multipart bodies are not read here: BODY_READERS lacks multipart.')
  }
  if (toMediaType(request.headers['content-type']) !== multipartType) {
    throw unsupportedMediaType('An upload must be multipart/form-data.', {
      'accept-post': multipartType,
    })
  }
  const { id, share } = arriving
  let upload: Upload | undefined
  const readFile = async (part: FormPart) => {
    if (upload !== undefined) throw badRequest(`Upload one file, in ${fieldName}.`)
    assertUploadPart(part)
    const content = share ? takeSpace(part.content, share) : part.content
    const saved = await files.save(id, toStream(content))
    arriving.isSaved = true
    const type = validType.test(part.type) ? part.type : 'application/octet-stream'
    upload = { ...saved, name: toDisplayName(part.fileName ?? ''), type }
  }
  const fields = await readForm(request, config, { maxFiles: 1, readFile })
  if (upload === undefined) throw noFile()
  takeFormHeaders(fields, config)
  return { upload, ignored: Object.keys(fields) }
}

const noFile = () => badRequest(`${fieldName} has no file.`)

/** A file without a record is swept, but a record without a file is not. */
async function removeUpload({ files, uploads }: UploadServices, arriving: Arriving) {
  const { id, isSaved, isRecorded } = arriving
  if (!isSaved) return
  if (isRecorded) await uploads.remove(id)
  await files.remove(id)
  await uploads.remove(id)
}

/** The stream of `Readable.from` would end after the next chunk only, when the store fails. */
function toStream(content: AsyncIterable<Buffer>): Readable {
  const chunks = content[Symbol.asyncIterator]()
  return new Readable({
    read() {
      chunks.next().then(
        ({ done, value }) => this.push(done === true ? null : value),
        (error: unknown) => this.destroy(error instanceof Error ? error : undefined),
      )
    },
  })
}

async function* takeSpace(content: AsyncIterable<Buffer>, share: Share) {
  for await (const chunk of content) {
    share.take(chunk.length)
    yield chunk
  }
}

function assertUploadPart({ name, fileName }: FormPart): void {
  if (name !== fieldName) throw badRequest(`The file must be in ${fieldName}, not in ${name}.`)
  // An input without a file is sent as a part with an empty file name.
  if (fileName === '') throw noFile()
}

const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

function toDisplayName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1) ?? ''
  const [shown = ''] = /^.{0,255}/su.exec(name.toWellFormed().replace(invisible, '')) ?? []
  return shown || 'file'
}

const validType = new RegExp(uploadSchema.properties.type.pattern)
