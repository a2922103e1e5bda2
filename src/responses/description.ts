import type { XStatic } from 'typebox/schema'
import { maxScriptSteps, maxSequenceSteps, maxStepRequests } from '../config/limits.ts'
import { faultNames } from './faults.ts'

const text = { type: 'string' } as const
const seconds = { type: 'number', minimum: 0 } as const
const texts = { type: 'array', items: text } as const
const fields = {
  type: 'object',
  propertyNames: { pattern: "^[\\w!#$%&'*+.^`|~-]+$" },
  additionalProperties: { anyOf: [text, texts] },
} as const

const distribution = {
  type: 'object',
  required: ['mean', 'deviation'],
  properties: { mean: seconds, deviation: seconds },
  additionalProperties: false,
} as const

const properties = {
  status: { type: 'integer', minimum: 200, maximum: 599, description: 'By default 200.' },
  headers: {
    ...fields,
    description: 'The headers. A header with several values has a list of them.',
  },
  header_base64: {
    ...fields,
    description:
      'More headers, with their values as bytes in Base64, for example `X-Name: Q2Fm6Q==` in Latin-1.',
  },
  type: { ...text, description: 'The value of Content-Type.' },
  body: { ...text, description: 'The body as text. `json` and `base64` are other forms of it.' },
  json: { description: 'The body as any JSON value.' },
  base64: { ...text, description: 'The body as bytes in Base64.' },
  size: {
    type: 'integer',
    minimum: 0,
    description: 'The length of a generated body in bytes. The bytes are the same for one `seed`.',
  },
  seed: { type: 'integer', minimum: 0, description: 'Chooses the bytes of `size`. By default 0.' },
  cookies: { ...texts, description: 'The values of Set-Cookie, for example `a=1; Max-Age=60`.' },
  delay: {
    anyOf: [seconds, { type: 'string', pattern: '^\\d+(\\.\\d+)?-\\d+(\\.\\d+)?$' }, distribution],
    description:
      'The seconds before the status line: a number, a range such as `0.1-0.5`, or `{"mean": 0.2, "deviation": 0.05}`.',
  },
  chunk_size: { type: 'integer', minimum: 1, description: 'The bytes of each chunk.' },
  pause: { ...seconds, description: 'The seconds between two chunks. It needs `chunk_size`.' },
  framing: {
    enum: ['length', 'chunked', 'close'],
    description:
      'Content-Length, chunks, or a body that ends with the connection. The default is `chunked` with `chunk_size` or `trailers`, and `length` otherwise. Over HTTP/2, the last two only omit Content-Length.',
  },
  trailers: { ...fields, description: 'The headers after the body. They need chunks.' },
  encoding: {
    enum: ['gzip', 'br', 'zstd', 'deflate'],
    description: 'The content coding. Accept-Encoding is ignored.',
  },
  reason: {
    type: 'string',
    pattern: '^[\\t -~]{0,200}$',
    description: 'The reason phrase of the status line, which HTTP/2 does not have.',
  },
  interim: {
    type: 'array',
    maxItems: 20,
    items: {
      type: 'object',
      required: ['status'],
      properties: {
        status: { type: 'integer', minimum: 100, maximum: 199, not: { const: 101 } },
        headers: fields,
      },
      additionalProperties: false,
    },
    description: 'Informational responses (1xx, except 101) before the delay.',
  },
  early_hints: { ...fields, description: 'The headers of a 103 before the delay.' },
  ranges: {
    type: 'boolean',
    description:
      'Whether a GET with Range gets that part of the body with 206, if the status is 200. If-Range is compared with the ETag or the Last-Modified in `headers`.',
  },
  idle: {
    ...seconds,
    description:
      'The seconds after the response until the connection is closed, although it did not say so.',
  },
  close: { type: 'boolean', description: 'Whether the connection ends after the response.' },
  fault: {
    enum: faultNames,
    description: 'The fault of the connection. RESPONSE_FAULTS=off disables faults.',
  },
  at: {
    type: 'integer',
    minimum: 0,
    description:
      'The byte of the body at which the faults `short-body`, `reset-in-body` and `stall` begin. By default its half.',
  },
  seconds: {
    ...seconds,
    description:
      'The duration of the faults `slow-head`, `stall` and `endless-body`. By default 3.',
  },
} as const

export const descriptionSchema = {
  description: 'A response. The service limits some headers.',
  type: 'object',
  properties,
  additionalProperties: false,
} as const

const times = {
  type: 'integer',
  minimum: 1,
  maximum: maxStepRequests,
  default: 1,
  description: 'How many requests get this step.',
} as const

export const sequenceSchema = {
  description: 'Responses to one request after the other. The last one repeats.',
  type: 'object',
  required: ['sequence'],
  properties: {
    sequence: {
      type: 'array',
      minItems: 1,
      maxItems: maxSequenceSteps,
      items: { ...descriptionSchema, properties: { ...properties, times } },
    },
  },
  additionalProperties: false,
} as const

const scriptStep = {
  type: 'object',
  properties: {
    send: { description: 'The message that is sent: a text, or any other JSON value.' },
    wait: { ...seconds, description: 'The seconds until the next step.' },
    expect: {
      description:
        'The next message of the client: a text, or an object of conditions. Another message closes the connection with 1008.',
    },
    close: { type: 'integer', description: 'The status code of the Close frame.' },
    reason: { ...text, description: 'The reason of `close`.' },
    drop: { const: true, description: 'The connection ends without a Close frame.' },
  },
  additionalProperties: false,
} as const

export const scriptMembers = Object.keys(scriptStep.properties)

/** Only a stub has these. */
const ofStub = {
  file: { ...text, description: 'The path of a file, below the folder of the stubs.' },
  websocket: {
    type: 'array',
    minItems: 1,
    maxItems: maxScriptSteps,
    items: scriptStep,
    description: 'What the service does on a WebSocket, in this order.',
  },
} as const
const { items } = sequenceSchema.properties.sequence
const stepSchema = { ...items, properties: { ...items.properties, ...ofStub } } as const

export const stubSchema = {
  ...descriptionSchema,
  properties: { ...properties, ...ofStub },
} as const

export const stubSequenceSchema = {
  ...sequenceSchema,
  properties: { sequence: { ...sequenceSchema.properties.sequence, items: stepSchema } },
} as const

export type Description = XStatic<typeof stubSchema>
export type Sequence = XStatic<typeof stubSequenceSchema>
export type ScriptStep = XStatic<typeof scriptStep>
