import { toFileOperation } from '../../http/openapi/files.ts'
import type { Operations } from '../../http/openapi/operation.ts'

export const operations: Operations = {
  'GET /openapi.json': toFileOperation('This document (OpenAPI 3.1)', 'application/json'),
  'GET /docs': toFileOperation('The same as a page, from which requests can be sent', 'text/html'),
}
