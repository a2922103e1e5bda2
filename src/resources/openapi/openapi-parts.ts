import { jsonContent, pageContent } from '../../http/openapi/content.ts'
import type { Content, Parameter } from '../../http/openapi/operation.ts'
import { idPattern } from '../context.ts'
import type { Resource } from '../definition.ts'
import { exampleId, type ResourceSchemas } from './schemas.ts'

/** What the descriptions of a resource's routes are made of. */
export interface ResourceDocs {
  resource: Resource
  schemas: ResourceSchemas
}

export const id: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'As the service assigned it, or a client chose it.',
  schema: { type: 'string', pattern: `^${idPattern}$` },
  example: exampleId,
}

/** A record as a page and as JSON. */
export function shownContent({ record, recordExample }: ResourceSchemas): Content {
  return { ...pageContent, ...jsonContent(record, recordExample) }
}

export function pickTypes(content: Content, types: readonly string[]): Content {
  return Object.fromEntries(Object.entries(content).filter(([type]) => types.includes(type)))
}
