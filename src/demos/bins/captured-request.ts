import { isUtf8 } from 'node:buffer'
import type { XStatic } from 'typebox/schema'
import { STATUS_CODES } from '../../http/node-http.ts'
import { compileLater } from '../../http/body/json-schema.ts'
import {
  findField,
  type Exchange,
  type ExchangeBody,
  type Fields,
} from '../../inspector/exchange.ts'
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
  required: [
    ...['method', 'target', 'path', 'httpVersion', 'origin', 'client', 'requestFields'],
    ...['status', 'ms'],
  ],
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
    /** Of the response. */
    status: { type: 'integer', minimum: 200, maximum: 599 },
    /** Until the body was received. */
    ms: { type: 'number', minimum: 0 },
    /** Whether the body was larger than the bin accepts: only its start is stored. */
    isTooLarge: { type: 'boolean' },
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

export function toFields({ requestFields }: RequestContent): Fields {
  return requestFields.map(([name = '', value = '']) => [name, value] as const)
}

/** Without the headers and the body, for lists and events. */
export function toSummary(request: CapturedRequest) {
  const { id, receivedAt, client, method, target, path, status, requestBody } = request
  const type = findField(toFields(request), 'content-type')
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

/** Of the response, only the status is known. */
export function toExchange(request: CapturedRequest): Exchange {
  const { method, target, httpVersion, client, status, ms, requestBody } = request
  const requestFields = toFields(request)
  const head = [
    `${method} ${target} HTTP/${httpVersion}`,
    ...requestFields.map((pair) => pair.join(': ')),
  ]
  return {
    ...{ id: request.id, requestId: request.id, receivedAt: request.receivedAt, client, status },
    ...{ method, effectiveMethod: method, target, origin: request.origin, httpVersion },
    ...{ ms, times: { body: ms, end: ms }, isOwn: false, isCutOff: false },
    connection: { id: request.id, requestsBefore: 0, remoteAddress: client },
    requestFields,
    requestHead: `${head.join('\n')}\n`,
    ...(requestBody && { requestBody: toExchangeBody(requestBody) }),
    responseFields: [],
    responseHead: `HTTP/${httpVersion} ${String(status)} ${STATUS_CODES[status] ?? ''}\n`,
  }
}

function toExchangeBody({ size, isCut, text, hex = '' }: RequestBody): ExchangeBody {
  return text === undefined ? { size, isCut, hex } : { size, isCut, text }
}

/** In a list of a bin, the path below it is enough. */
export function toRow(request: CapturedRequest): Exchange {
  return { ...toExchange(request), target: request.path }
}
