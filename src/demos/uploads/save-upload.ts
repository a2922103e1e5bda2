import type { FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { XStatic } from 'typebox/schema'
import { toMediaType } from '../../http/body/body-reader.ts'
import { parseMultipart, type FormPart } from '../../http/body/multipart.ts'
import { badRequest, unsupportedMediaType } from '../../http/errors/http-error.ts'
import type { Services } from '../../site/demo.ts'
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
    size: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'In bytes.',
    },
    sha256: { ...textSchema, pattern: '^[0-9a-f]{64}$' },
  },
} as const

export type Upload = XStatic<typeof uploadSchema>

export type UploadServices = Pick<Services, 'config' | 'files' | 'records'> & {
  uploads: Collection
  space: FileSpace | undefined
  formPath: string
}

export type StoredUpload = Upload & { _id: string; createdAt: string }

const fieldName = 'upfiles'
const framingBytes = 16 * 1024

interface Arriving {
  id: string
  share: Share | undefined
  isSaved: boolean
  isRecorded: boolean
}

export async function saveUpload(request: FastifyRequest, services: UploadServices) {
  const { files, uploads, space } = services
  // Fully random, so that ids cannot be guessed.
  const id = randomBytes(16).toString('base64url')
  const share = await space?.begin(id)
  const arriving = { id, share, isSaved: false, isRecorded: false }
  let isStored = false
  try {
    const upload = await receiveFile(request, services, arriving)
    const createdAt = new Date().toISOString()
    arriving.isRecorded = await uploads.create({ id, document: { ...upload }, createdAt })
    if (!arriving.isRecorded) throw new Error('the new id exists')
    await files.keep(id)
    isStored = true
    return toStoredUpload({ id, createdAt }, upload)
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
  const isMultipart = toMediaType(request.headers['content-type']) === 'multipart/form-data'
  if (!isMultipart || !config.bodyReaders.includes('multipart')) {
    throw unsupportedMediaType('An upload must be multipart/form-data.', {
      'accept-post': 'multipart/form-data',
    })
  }
  const { id, share } = arriving
  const maxPartBytes = config.maxUploadBytes
  const limits = { parts: 2, maxPartBytes, maxBytes: maxPartBytes + framingBytes, times: config }
  let upload: Upload | undefined
  for await (const part of parseMultipart(request, limits)) {
    if (upload !== undefined) throw badRequest(`Upload one file, in ${fieldName}.`)
    assertNoOtherPart(part)
    const counted = share && Readable.from(takeSpace(part.content, share), { objectMode: false })
    const saved = await files.save(id, counted ?? part.content)
    arriving.isSaved = true
    const type = validType.test(part.type) ? part.type : 'application/octet-stream'
    upload = { ...saved, name: toDisplayName(part.fileName ?? ''), type }
  }
  if (upload === undefined) throw badRequest(`${fieldName} has no file.`)
  return upload
}

/** A file without a record is swept, but a record without a file is not. */
async function removeUpload({ files, uploads }: UploadServices, arriving: Arriving) {
  const { id, isSaved, isRecorded } = arriving
  if (!isSaved) return
  if (isRecorded) await uploads.remove(id)
  await files.remove(id)
  await uploads.remove(id)
}

async function* takeSpace(content: AsyncIterable<Buffer>, share: Share) {
  for await (const chunk of content) {
    share.take(chunk.length)
    yield chunk
  }
}

function assertNoOtherPart({ name, fileName }: FormPart): void {
  if (name !== fieldName) {
    throw badRequest(`The form must contain one file in ${fieldName}, and no other field.`)
  }
  // An input without a file is sent as a part with an empty file name.
  if (fileName === undefined || fileName === '') throw badRequest(`${fieldName} has no file.`)
}

const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

function toDisplayName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1) ?? ''
  const [shown = ''] = /^.{0,255}/su.exec(name.toWellFormed().replace(invisible, '')) ?? []
  return shown || 'file'
}

const validType = new RegExp(uploadSchema.properties.type.pattern)
