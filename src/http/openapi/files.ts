import { responseHeaders, requestHeaders } from './fields.ts'
import type { Operation, Parameter } from './operation.ts'

const fileHeaders = responseHeaders('ETag', 'Last-Modified', 'Accept-Ranges', 'Repr-Digest')
const conditions = ['If-None-Match', 'If-Modified-Since', 'If-Range'] as const

export function toFileOperation(
  summary: string,
  type: string,
  own: readonly Parameter[] = [],
): Operation {
  const content = { [type]: {} }
  return {
    summary,
    parameters: [...own, ...requestHeaders(...conditions, 'Range', 'Want-Repr-Digest')],
    responses: {
      200: { description: 'The whole file.', headers: fileHeaders, content },
      206: {
        description: 'The bytes that Range selects.',
        headers: { ...fileHeaders, ...responseHeaders('Content-Range') },
        content,
      },
      304: { description: 'Not changed.', headers: responseHeaders('ETag') },
    },
    errors: [412, 416],
  }
}
