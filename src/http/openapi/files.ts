import { responseHeaders, requestHeaders } from './fields.ts'
import type { Operation, Parameter } from './operation.ts'

const { etag, lastModified, acceptRanges, contentRange, reprDigest } = responseHeaders
const headers = {
  ETag: etag,
  'Last-Modified': lastModified,
  'Accept-Ranges': acceptRanges,
  'Repr-Digest': reprDigest,
}

const { ifNoneMatch, ifModifiedSince, range, ifRange, wantReprDigest } = requestHeaders

export function toFileOperation(
  summary: string,
  mediaType: string,
  parameters: readonly Parameter[] = [],
): Operation {
  const content = { [mediaType]: {} }
  return {
    summary,
    parameters: [...parameters, ifNoneMatch, ifModifiedSince, range, ifRange, wantReprDigest],
    responses: {
      200: { description: 'The whole file.', headers, content },
      206: {
        description: 'The bytes that Range selects.',
        headers: { ...headers, 'Content-Range': contentRange },
        content,
      },
      304: { description: 'Not changed.', headers: { ETag: etag } },
    },
    errors: [412, 416],
  }
}
