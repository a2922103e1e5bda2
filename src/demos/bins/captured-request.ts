import type { XStatic } from 'typebox/schema'
import { STATUS_CODES } from '../../http/node-http.ts'
import { toMediaType } from '../../http/body/body-reader.ts'
import { compileLater } from '../../http/body/json-schema.ts'
import { bodySchema, exchangeSchema, findField, type Exchange } from '../../exchanges/exchange.ts'
import { toExchangeBody } from '../../exchanges/to-body.ts'
import type { ExchangeRow } from '../../exchanges/list-view.ts'
import { toHeadText } from '../../exchanges/message-http.ts'
import { formatBytes } from '../../site/assets/size.js'
import { textSchema, type ChangedRecord, type StoredRecord } from '../../stores/records/records.ts'
import { StoreFailure } from '../../stores/store-failure.ts'
import { binIdLength, hashRequestSecret } from './bin-ids.ts'

const storedRequestSchema = {
  type: 'object',
  required: [
    ...['method', 'target', 'path', 'httpVersion', 'origin', 'client', 'requestFields'],
    'ms',
  ],
  properties: {
    method: textSchema,
    target: textSchema,
    path: { ...textSchema, description: 'Below the bin, with the query string.' },
    httpVersion: textSchema,
    origin: textSchema,
    client: textSchema,
    requestFields: {
      ...exchangeSchema.properties.requestFields,
      description: 'The headers in their order and case, without own cookies and secrets.',
    },
    requestTrailerFields: exchangeSchema.properties.requestTrailerFields,
    requestBody: { ...bodySchema, description: 'The first 64 KiB, as `text` or `hex`.' },
    status: {
      type: 'integer',
      minimum: 200,
      maximum: 599,
      description: 'The status code of the response.',
    },
    isPending: {
      type: 'boolean',
      description: 'Set until a response that takes time has been sent or has failed.',
    },
    isCutOff: { type: 'boolean', description: 'Set if the response did not reach its end.' },
    fault: { ...textSchema, description: 'The fault that the bin sent as the response.' },
    step: { type: 'integer', minimum: 1, description: 'The number of the step of a sequence.' },
    ms: { type: 'number', minimum: 0, description: 'Until the body was received.' },
    isTooLarge: { type: 'boolean', description: 'Set if the bin did not accept the body (413).' },
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
    request: { type: 'array', minItems: 1, maxItems: 1, items: storedRequestSchema },
  },
} as const

export type RequestContent = XStatic<typeof storedRequestSchema>
export type RequestBody = XStatic<typeof bodySchema>

type Captured = XStatic<typeof capturedSchema>
export type CapturedRequest = RequestContent &
  Omit<Captured, 'request'> & { id: string; receivedAt: string }

const validator = compileLater(capturedSchema)

function parseContent({ id, document }: StoredRecord): RequestContent {
  const [request] = validator().Check(document) ? document.request : []
  if (request === undefined) throw new StoreFailure('unavailable', `${id} has a damaged record`)
  return request
}

export interface Outcome {
  /** It is undefined if no status line was sent. */
  status: number | undefined
  isCutOff: boolean
}

export function toCorrected(record: StoredRecord, { status, isCutOff }: Outcome): ChangedRecord {
  const { id, version, document } = record
  const outcome = { status, isCutOff: isCutOff || undefined, isPending: undefined }
  const request = { ...parseContent(record), ...outcome }
  const updatedAt = new Date().toISOString()
  return { id, version, document: { ...document, request: [request] }, updatedAt }
}

export function toCaptured(record: StoredRecord): CapturedRequest {
  const { id, document, createdAt } = record
  const request = parseContent(record)
  const own = { bin: id.slice(0, binIdLength), id: toShortId(id), receivedAt: createdAt }
  return { ...own, ...request, isInFile: document.isInFile === true }
}

export const toShortId = (id: string) => id.slice(binIdLength + 1)

export const toRequestPath = (bin: string) => (id: string) => `/bins/${bin}/requests/${id}`

export const listedSchemas = {
  id: textSchema,
  receivedAt: { ...textSchema, format: 'date-time' },
  ...storedRequestSchema.properties,
  requestBody: { properties: { size: { type: 'integer' }, isCut: { type: 'boolean' } } },
} as const

export function toShareUrl(
  origin: string,
  { id, secretHash }: { id: string; secretHash: string },
  request: string,
): string {
  return `${origin}${toRequestPath(id)(request)}?secret=${hashRequestSecret(secretHash, request)}`
}

export const toBack = (bin: string) => [`/bins/${bin}`, 'Requests of the bin'] as const

export function requestToJson(request: CapturedRequest) {
  const { bin, id } = request
  return { ...request, bin: undefined, isInFile: undefined, url: toRequestPath(bin)(id) }
}

export function toSummary(request: CapturedRequest) {
  const { id, receivedAt, client, method, target, path, status, requestBody } = request
  const { fault, isCutOff } = request
  const type = findField(request.requestFields, 'content-type')
  const size = requestBody?.size ?? 0
  return { id, receivedAt, client, method, target, path, type, size, status, isCutOff, fault }
}

/** A bin knows only the status of the response. */
export function requestToExchange(request: CapturedRequest): Exchange {
  const { id, method, target, httpVersion, client, status, ms, requestFields } = request
  const phrase = STATUS_CODES[status ?? 0] ?? ''
  return {
    ...request,
    isCutOff: request.isCutOff ?? false,
    requestId: id,
    effectiveMethod: method,
    isOwn: false,
    times: { body: ms, end: ms },
    connection: { id, remoteAddress: client },
    requestHead: toHeadText(`${method} ${target} HTTP/${httpVersion}`, requestFields),
    responseFields: [],
    responseHead: status === undefined ? '' : `HTTP/${httpVersion} ${String(status)} ${phrase}\n`,
  }
}

export async function toDecodedBody({ requestFields, requestBody }: CapturedRequest) {
  if (requestBody?.hex === undefined) return requestBody
  const { size, hex } = requestBody
  const sent = { bytes: Buffer.from(hex, 'hex'), size }
  return toExchangeBody(requestFields, sent)
}

const shortTypes = new Map([
  ['application/x-www-form-urlencoded', 'form'],
  ['multipart/form-data', 'multipart'],
  ['application/octet-stream', 'binary'],
])

export function toRow(request: CapturedRequest): ExchangeRow {
  const { requestFields, requestBody } = request
  const type = toMediaType(findField(requestFields, 'content-type'))
  const shown = shortTypes.get(type) ?? type.replace('application/', '')
  const body = requestBody ? `${formatBytes(requestBody.size)} ${shown}`.trimEnd() : ''
  const line = Array.from(requestBody?.text?.slice(0, 500).trim().replaceAll(/\s+/g, ' ') ?? '')
  const preview = line.slice(0, 60).join('') + (line.length > 60 ? '…' : '')
  return { ...requestToExchange(request), target: request.path, body, preview }
}
