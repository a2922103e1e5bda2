import type { Operations } from '../../http/openapi/operation.ts'
import type { Resource } from '../definition.ts'
import { toReadOperations } from './openapi-reads.ts'
import { toWriteOperations } from './openapi-writes.ts'
import { toSchemas } from './schemas.ts'

/** The documentation of a resource's routes, from its definition. */
export function toOperations(resource: Resource): Operations {
  const parts = { resource, schemas: toSchemas(resource) }
  return { ...toReadOperations(parts), ...toWriteOperations(parts) }
}
