import { formatCount } from '../../config/format-count.ts'
import {
  fieldNames,
  jsonContent,
  objectSchema,
  pageContent,
  textContent,
} from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { Operation } from '../../http/openapi/operation.ts'
import { textSchema } from '../../stores/records/records.ts'
import { uploadSchema } from './save-upload.ts'

const upload = objectSchema({
  _id: textSchema,
  ...uploadSchema.properties,
  createdAt: { ...textSchema, format: 'date-time' },
})

export const exampleUpload = {
  _id: 'DDy_FQo-ous469DRMy3G3g',
  name: 'glass.txt',
  type: 'text/plain',
  size: 5,
  sha256: 'da63bca6b18be7932c7a8b14a8ab8ebbc84cf7ffa4bf6c5e1d3cb30cda14de7a',
  createdAt: '2026-11-21T08:20:41.363Z',
}

export function toUploadedText({ _id, name, size }: typeof exampleUpload): string {
  return `The upload succeeded: ${name}, ${formatCount(size, 'byte')}, is stored at /uploads/${_id}\n`
}

const form = {
  ...objectSchema({ upfiles: { contentMediaType: 'application/octet-stream' } }),
  additionalProperties: { type: 'string', description: 'A text field. It is not stored.' },
  propertyNames: fieldNames,
}

export const uploadOperation: Operation = {
  summary: 'Upload a file',
  requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } },
  responses: {
    200: {
      description: 'The file is stored.',
      headers: responseHeaders('Location'),
      content: {
        ...textContent(toUploadedText(exampleUpload)),
        ...pageContent,
        ...jsonContent(upload, exampleUpload),
      },
    },
  },
  store: 'writes',
}

export const listOperation: Operation = {
  summary: 'List uploads, oldest first',
  responses: {
    200: {
      description: 'The uploads.',
      headers: responseHeaders('Upload-Limit'),
      content: {
        ...pageContent,
        ...jsonContent({ type: 'array', items: upload }, [exampleUpload]),
        ...textContent(`${exampleUpload._id} 5 glass.txt\n`),
      },
    },
  },
  errors: [406],
  store: 'reads',
}
