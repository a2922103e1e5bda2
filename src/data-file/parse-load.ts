import type { XStatic } from 'typebox/schema'
import { compileLater } from '../http/body/json-schema.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { textSchema, type StoredRecord } from '../stores/records/records.ts'
import { fieldsSchema, inferredSchema } from './to-definition.ts'

export const loadId = 'load'

const texts = { type: 'array', items: textSchema } as const

/** The members of a {@link ResourceDefinition} that each has. */
const definitionSchema = {
  type: 'object',
  required: ['name', 'singular', 'title', 'summary', 'schema'],
  properties: {
    name: textSchema,
    singular: textSchema,
    title: textSchema,
    summary: textSchema,
    schema: {
      type: 'object',
      required: ['type', 'required', 'properties'],
      properties: { type: { const: 'object' }, required: texts, properties: fieldsSchema },
    },
  },
} as const

export const loadSchema = {
  type: 'object',
  required: ['hash', 'recordsHash', 'schemaHash', 'isComplete', 'definitions', 'inferred'],
  properties: {
    /** The hash of the file, or empty if its records are not those that were loaded. */
    hash: textSchema,
    recordsHash: textSchema,
    schemaHash: textSchema,
    isComplete: { type: 'boolean' },
    definitions: { type: 'array', items: definitionSchema },
    inferred: { type: 'array', items: inferredSchema },
    /** `$schema` as in the file. */
    ownSchema: {},
    /** `$responses` as in the file. */
    responses: {},
  },
} as const

const validate = compileLater(loadSchema)

export type Load = XStatic<typeof loadSchema> & { version: number }

export function parseLoad({ document, version }: Pick<StoredRecord, 'document' | 'version'>): Load {
  if (validate().Check(document)) return { ...document, version }
  throw new Error(`the database has a damaged record ${loadId} in ${collectionNames.dataFile}`)
}
