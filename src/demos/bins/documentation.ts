import {
  exampleContent,
  jsonContent,
  objectSchema,
  pathParameter,
  text,
  url,
} from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import { capturedSchema } from './captured-request.ts'

const id = 'tqk3l5cDDyFQoous469DRMy3G3g'
const requestId = '019b2f6c-1e5d-7a4f-8c34-1a6e0d2b7f55'
const time = { ...text, format: 'date-time' }

export const binParameter = pathParameter('id', 'The id of the bin.', id)

const exampleBin = {
  id,
  url: `https://vitrine.example/b/${id}`,
  requestsUrl: `https://vitrine.example/bins/${id}/requests`,
  createdAt: '2026-11-22T08:20:41.363Z',
  expiresAt: '2026-11-29T08:20:42.000Z',
  response: { status: 200, json: { ok: true } },
}

const response = {
  type: ['object', 'array'],
  description:
    'The response of the bin, as in `/responses/custom`, or alternatives with `when`, and with values of the request: see docs/stubs.md.',
}
const name = { ...text, maxLength: 100, description: 'One line. An empty name removes it.' }
const properties = {
  name,
  url: { ...url, description: 'Requests to this URL, and to paths below it, are captured.' },
  requestsUrl: { ...url, description: 'The captured requests, for a client with the secret.' },
  createdAt: time,
  expiresAt: time,
  response,
}
const secret = { ...text, description: 'Required to read the bin. No later response contains it.' }

export const binContent = exampleContent(exampleBin, properties)
const exampleNew = { ...exampleBin, secret: 'vbs_u1iQf7dK0mXbT2nYw9cRz4hLs6vJp8Aq' }
export const newBinContent = exampleContent(exampleNew, { ...properties, secret })

const nullable = {
  type: ['object', 'array', 'null'],
  description: `${response.description} \`null\` is the default one.`,
}
const exampleResponse = { response: exampleBin.response }
export const changeContent = jsonContent(
  { type: 'object', additionalProperties: false, properties: { response: nullable, name } },
  exampleResponse,
)

export const exampleRequest = {
  id: requestId,
  receivedAt: '2026-11-22T08:21:07.509Z',
  method: 'POST',
  target: `/b/${id}/orders?paid=1`,
  path: '/orders?paid=1',
  httpVersion: '1.1',
  origin: 'http://vitrine.example',
  client: '127.0.0.1',
  status: 200,
  ms: 0.4,
  requestFields: [['Content-Type', 'application/json']],
  requestBody: { size: 8, isCut: false, text: '{"id":1}' },
  url: `/bins/${id}/requests/${requestId}`,
}

const stored = capturedSchema.properties.request.items
export const requestSchema = {
  type: 'object',
  required: ['id', 'receivedAt', ...stored.required, 'url'],
  properties: { id: text, receivedAt: time, ...stored.properties, url },
} as const

const shareUrl = {
  ...url,
  description: 'Anyone with it can read this request. Only with the secret of the bin.',
}
const field = { type: 'array', items: text, minItems: 2, maxItems: 2 }
const file = objectSchema({ field: text, name: text, size: { type: 'integer' }, url })
export const requestContent = jsonContent(
  {
    ...requestSchema,
    required: [...requestSchema.required, 'fields', 'files'],
    properties: {
      ...requestSchema.properties,
      fields: { type: 'array', items: field, description: 'The text fields of a multipart form.' },
      files: { type: 'array', items: file },
      shareUrl,
    },
  },
  { ...exampleRequest, fields: [], files: [] },
)

export const redirect = {
  description: 'Redirects a browser to a page.',
  headers: responseHeaders('Location'),
}
export const removal = { 204: { description: 'Removed.' }, 303: redirect }
