import { savedFileSchema } from '../../stores/files/files.ts'
import { textSchema } from '../../stores/records/records.ts'
import { capturedSchema } from './captured-request.ts'

export const binCollections = {
  bins: 'bins',
  requests: '~bin-requests',
  files: '~bin-files',
} as const

export const binSchema = {
  type: 'object',
  required: ['secretHash', 'response', 'isRemoved'],
  properties: {
    secretHash: { ...textSchema, pattern: '^[0-9a-f]{64}$' },
    response: textSchema,
    name: textSchema,
    isRemoved: { type: 'boolean' },
    /** That of the sandbox in which it was created. */
    place: textSchema,
  },
} as const

export const collections = [
  { name: binCollections.bins, schema: binSchema },
  { name: binCollections.requests, schema: capturedSchema },
  { name: binCollections.files, schema: savedFileSchema, isOfFiles: true },
]
