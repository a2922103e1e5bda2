import {
  jsonContent,
  objectSchema,
  pageContent,
  pathParameter,
  textContent,
} from '../../http/openapi/content.ts'
import { toFileOperation } from '../../http/openapi/files.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { Operations } from '../../http/openapi/operation.ts'

const text = { type: 'string' } as const

const upload = objectSchema({
  _id: text,
  name: text,
  type: { ...text, description: 'The media type that the client named.' },
  size: { type: 'integer', minimum: 0, description: 'In bytes.' },
  sha256: { ...text, pattern: '^[0-9a-f]{64}$' },
  createdAt: { ...text, format: 'date-time' },
})

const example = {
  _id: 'DDy_FQo-ous469DRMy3G3g',
  name: 'glass.txt',
  type: 'text/plain',
  size: 5,
  sha256: 'da63bca6b18be7932c7a8b14a8ab8ebbc84cf7ffa4bf6c5e1d3cb30cda14de7a',
  createdAt: '2026-11-21T08:20:41.363Z',
}

export const operations: Operations = {
  'POST /profile': {
    summary: 'Keep a file',
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            ...objectSchema({ upfiles: { contentMediaType: 'application/octet-stream' } }),
            additionalProperties: false,
          },
        },
      },
    },
    responses: {
      200: {
        description: 'It is kept.',
        headers: { Location: responseHeaders.location },
        content: {
          ...textContent(
            'The upload succeeded: glass.txt, 5 bytes, is kept at /uploads/DDy_FQo-ous469DRMy3G3g\n',
          ),
          ...pageContent,
          ...jsonContent(upload, example),
        },
      },
    },
    store: 'writes',
  },
  'GET /uploads': {
    summary: 'What was uploaded, oldest first',
    responses: {
      200: {
        description: 'All of it.',
        content: {
          ...pageContent,
          ...jsonContent({ type: 'array', items: upload }, [example]),
          ...textContent(`${example._id} 5 glass.txt\n`),
        },
      },
    },
    errors: [406],
    store: 'reads',
  },
  'GET /uploads/:id': {
    ...toFileOperation('A file, as an attachment', '*/*', [
      pathParameter('id', 'As the list and the answer to the upload have it.', example._id),
    ]),
    errors: [404, 412, 416],
    store: 'reads',
  },
}
