import type { XStatic } from 'typebox/schema'
import { negotiationSchema } from '../http/negotiation/negotiate.ts'
import { text } from '../http/openapi/content.ts'
import type { Loose } from '../http/openapi/json-schema.ts'
import type { Fields } from '../http/recording.ts'

export const exampleId = '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e'

const ms = { type: 'number', minimum: 0 } as const
const flag = { type: 'boolean' } as const
const texts = { type: 'array', items: text } as const
/** Its type is a pair. Many tools cannot read `prefixItems`, which would say the same. */
const field = { type: 'array', minItems: 2, maxItems: 2, items: text } as object as PairSchema
type PairSchema = { prefixItems: [typeof text, typeof text]; minItems: 2; maxItems: 2 }
const fields = { type: 'array', items: field } as const

export const summarySchema = {
  type: 'object',
  required: [
    ...['id', 'requestId', 'receivedAt', 'client', 'isOwn', 'method', 'effectiveMethod'],
    ...['target', 'ms', 'isCutOff'],
  ],
  properties: {
    id: { ...text, description: 'A random id.' },
    requestId: text,
    receivedAt: { ...text, format: 'date-time' },
    client: { ...text, description: 'The address, which a trusted proxy may have sent.' },
    isOwn: { ...flag, description: 'Whether it has your session, or your key.' },
    method: { ...text, description: 'The method that the client sent.' },
    effectiveMethod: { ...text, description: 'The method after an override.' },
    target: { ...text, description: 'The path and the query string.' },
    ms: { ...ms, description: 'The duration in milliseconds.' },
    isCutOff: { ...flag, description: 'Whether the connection was lost before the end.' },
    status: { type: 'integer', minimum: 100, maximum: 599 },
    demo: text,
    route: { ...text, description: 'The pattern of the path: `/users/:id`.' },
    location: { ...text, description: 'The Location of a redirect.' },
    isPreflight: flag,
    fault: { ...text, description: 'The fault that the request asked for.' },
    step: { type: 'integer', minimum: 1, description: 'The number of the request of a sequence.' },
    stub: { ...text, description: 'The name of the stub that responded.' },
    alternative: { type: 'integer', minimum: 1, description: 'Which alternative of the stub.' },
    idempotencyKey: { ...text, description: 'The Idempotency-Key of the request.' },
  },
} as const

export const bodySchema = {
  type: 'object',
  description: 'Without its content coding.',
  required: ['size', 'isCut'],
  properties: {
    size: {
      type: 'integer',
      minimum: 0,
      description: 'The size of the whole body as it was sent.',
    },
    isCut: { ...flag, description: 'Whether only the first 64 KiB were recorded.' },
    text: { ...text, description: 'The body, if it is UTF-8.' },
    hex: {
      ...text,
      pattern: '^([0-9a-f]{2})*$',
      description: 'Other bodies, in hexadecimal notation.',
    },
  },
} as const

export const exchangeSchema = {
  type: 'object',
  required: [
    ...summarySchema.required,
    ...['origin', 'httpVersion', 'connection', 'requestFields', 'requestHead', 'responseFields'],
    ...['responseHead', 'times'],
  ],
  properties: {
    ...summarySchema.properties,
    origin: text,
    httpVersion: text,
    tls: { ...text, description: 'The version and the cipher.' },
    connection: {
      type: 'object',
      required: ['id', 'remoteAddress'],
      properties: { id: text, requestsBefore: { type: 'integer' }, remoteAddress: text },
    },
    requestFields: fields,
    requestHead: text,
    requestBody: bodySchema,
    requestTrailerFields: fields,
    responseFields: fields,
    responseHead: text,
    responseBody: bodySchema,
    times: {
      type: 'object',
      description: 'The time in milliseconds from the head of the request.',
      required: ['end'],
      properties: { body: ms, handlerBegin: ms, handlerEnd: ms, firstByte: ms, end: ms },
    },
    negotiation: negotiationSchema,
    preconditions: {
      type: 'object',
      description: 'The validators that the conditions of the request were compared with.',
      required: ['etags', 'outcome'],
      properties: {
        etags: texts,
        lastModified: text,
        outcome: { enum: ['proceed', 'not modified', 'failed'] },
      },
    },
    rateLimit: {
      type: 'object',
      description: 'The values of RateLimit-Policy and RateLimit.',
      required: ['policy', 'state', 'isExceeded'],
      properties: { policy: text, state: text, isExceeded: flag },
    },
    earlyHintFields: {
      ...fields,
      description:
        'The headers of a 103 (Early Hints) before the response, with which `responseHead` begins.',
    },
    trailerFields: { ...fields, description: 'The trailers of the response.' },
    problem: {
      ...text,
      description: 'The kind of an error of the service: the last segment of /problems/….',
    },
  },
} as const

export type Summary = Loose<XStatic<typeof summarySchema>>
export type Exchange = Loose<XStatic<typeof exchangeSchema>>
/** The first 64 KiB of a body, without its content coding: as text if it is UTF-8, else in hexadecimal notation. */
export type ExchangeBody = Loose<XStatic<typeof bodySchema>>
export type ComparedPreconditions = NonNullable<Exchange['preconditions']>
export const mask = '••••••'

export type { Fields }

export function findField(fields: Fields, name: string): string | undefined {
  return fields.find(([given]) => given.toLowerCase() === name)?.[1]
}
