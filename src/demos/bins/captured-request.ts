import { isUtf8 } from 'node:buffer'
import type { XStatic } from 'typebox/schema'
import { compileLater } from '../../http/body/json-schema.ts'
import { isStorable, textSchema, type StoredRecord } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import { binIdLength } from './bin-ids.ts'

const bodySchema = {
  type: 'object',
  required: ['size', 'isCut'],
  properties: {
    size: { type: 'integer', minimum: 0 },
    isCut: { type: 'boolean' },
    text: textSchema,
    hex: { ...textSchema, pattern: '^([0-9a-f]{2})*$' },
  },
} as const

const requestSchema = {
  type: 'object',
  required: ['method', 'target', 'path', 'httpVersion', 'origin', 'client', 'requestFields'],
  properties: {
    method: textSchema,
    target: textSchema,
    path: textSchema,
    httpVersion: textSchema,
    origin: textSchema,
    client: textSchema,
    requestFields: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 2, items: textSchema },
    },
    requestBody: bodySchema,
    /** Of a request that the bin did not accept. */
    status: { type: 'integer', minimum: 400, maximum: 599 },
  },
} as const

/** In PostgreSQL each member of a document has keys, but the items of a list have none. */
export const capturedSchema = {
  type: 'object',
  required: ['bin', 'isInFile', 'request'],
  properties: {
    bin: textSchema,
    /** Whether the whole body is the file with the id of the record. */
    isInFile: { type: 'boolean' },
    request: { type: 'array', minItems: 1, maxItems: 1, items: requestSchema },
  },
} as const

export type RequestContent = XStatic<typeof requestSchema>
export type RequestBody = XStatic<typeof bodySchema>

export interface CapturedRequest extends RequestContent {
  id: string
  receivedAt: string
  isInFile: boolean
}

const validator = compileLater(capturedSchema)

/** More of a body is in a file only. */
export const maxShownBytes = 65_536

/** Of all that was received, or of its start. */
export function toRequestBody(bytes: Buffer, { size, isCut }: RequestBody): RequestBody {
  // The end of a start may be in the middle of a character, which has at most four bytes.
  const ends = isCut ? [0, 1, 2, 3] : [0]
  const texts = ends.map((rest) => bytes.subarray(0, bytes.length - rest))
  const text = texts.find(isUtf8)?.toString()
  const isText = text !== undefined && isStorable(text)
  return { size, isCut, ...(isText ? { text } : { hex: bytes.toString('hex') }) }
}

export function toCapturedRequest({ id, document, createdAt }: StoredRecord): CapturedRequest {
  const [request] = validator().Check(document) ? document.request : []
  if (request === undefined) throw new StoreFailure('unavailable', `${id} has a damaged record`)
  const own = { id: id.slice(binIdLength + 1), receivedAt: createdAt }
  return { ...own, ...request, isInFile: document.isInFile === true }
}

export function findField({ requestFields }: RequestContent, name: string): string | undefined {
  return requestFields.find(([given = '']) => given.toLowerCase() === name)?.[1]
}

export type Summary = ReturnType<typeof toSummary>

/** Without the headers and the body, for lists and events. */
export function toSummary(request: CapturedRequest) {
  const { id, receivedAt, client, method, target, path, status, requestBody } = request
  const type = findField(request, 'content-type')
  return {
    id,
    receivedAt,
    client,
    method,
    target,
    path,
    type,
    size: requestBody?.size ?? 0,
    status,
  }
}
