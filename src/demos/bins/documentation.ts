import {
  jsonContent,
  objectSchema,
  pageContent,
  pathParameter,
} from '../../http/openapi/content.ts'
import { text, toSchema, url } from '../../http/openapi/content.ts'
import { responseHeaders } from '../../http/openapi/fields.ts'
import type { Operation, Parameter } from '../../http/openapi/operation.ts'
import { harContent } from '../../inspector/documentation.ts'
import { diffOperation } from '../../inspector/exchange-routes.ts'
import { lastEventId, eventContent } from '../../resources/events/events.ts'
import { listParameters } from './parse-list.ts'

const id = 'tqk3l5cDDyFQoous469DRMy3G3g'
const requestId = '019b2f6c-1e5d-7a4f-8c34-1a6e0d2b7f55'
const time = { ...text, format: 'date-time' }

const exampleBin = {
  id,
  url: `/b/${id}/`,
  createdAt: '2026-11-22T08:20:41.363Z',
  expiresAt: '2026-11-29T08:20:42.000Z',
  response: { status: 200, json: { ok: true } },
}

const binProperties = {
  url: { ...url, description: 'What is sent here, and below, is captured.' },
  createdAt: time,
  expiresAt: time,
  response: { type: 'object', description: 'What the bin responds: see `/responses/custom`.' },
}
const binContent = jsonContent(toSchema(exampleBin, binProperties), exampleBin)
const exampleNew = { ...exampleBin, secret: 'vbs_u1iQf7dK0mXbT2nYw9cRz4hLs6vJp8Aq' }
const secret = { ...text, description: 'Needed to read the bin. It is shown only here.' }

const exampleRequest = {
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

const requestProperties = {
  receivedAt: time,
  path: { ...text, description: 'Below the bin, with the query string.' },
  requestFields: {
    type: 'array',
    items: { type: 'array', items: text },
    description: 'The headers in their order and case, without own cookies and secrets.',
  },
  requestBody: {
    type: 'object',
    properties: { size: { type: 'integer' }, isCut: { type: 'boolean' }, text, hex: text },
    description: 'The first 64 KiB, as `text` or `hex`.',
  },
  status: { type: 'integer', description: 'Of the response.' },
  isTooLarge: { type: 'boolean', description: 'Set if the bin did not accept the body (413).' },
}
const required = ['id', 'receivedAt', 'method', 'target', 'path']
const requestSchema = { ...toSchema(exampleRequest, requestProperties), required }

const file = objectSchema({ field: text, name: text, size: { type: 'integer' }, url })
const ofBin = pathParameter('id', 'The id of the bin.', id)
const ofRequest = pathParameter('n', 'The id of the request.', requestId)
const linkSecret: Parameter = {
  name: 'secret',
  in: 'query',
  description: 'The secret, which becomes a cookie: then redirects to the page.',
  schema: text,
  example: '',
}
const bearer = 'Requires the secret: `Authorization: Bearer …`, or the cookie of the page.'
const responseBody = {
  content: jsonContent(objectSchema({ response: binProperties.response }), {
    response: exampleBin.response,
  }),
}
const attachment = { 200: { description: 'The bytes, as an attachment.', content: { '*/*': {} } } }
const toPage = {
  description: 'Redirects a browser to a page.',
  headers: responseHeaders('Location'),
}
const removed = { 204: { description: 'Removed.' }, 303: toPage }

const readErrors = [401, 404, 410] as const

/** Of a bin, its requests and their files. */
const reading = { description: bearer, errors: readErrors, store: 'reads' } as const
const writing = { ...reading, store: 'writes' } as const

export const operations = {
  page: { summary: 'Get the page of your bins', content: pageContent, errors: [406] },
  create: {
    summary: 'Create a bin',
    description:
      'The URL of the bin captures every request. With `Accept: text/html`, redirects to its page.',
    requestBody: { ...responseBody, required: false },
    responses: {
      201: {
        description: 'The bin, with its secret.',
        headers: responseHeaders('Location'),
        content: jsonContent(toSchema(exampleNew, { ...binProperties, secret }), exampleNew),
      },
      303: toPage,
    },
    errors: [406],
    store: 'writes',
  },
  read: {
    ...reading,
    summary: 'Get a bin',
    parameters: [ofBin, linkSecret],
    responses: {
      200: { description: 'The bin.', content: { ...pageContent, ...binContent } },
      303: toPage,
    },
    errors: [...readErrors, 406],
  },
  change: {
    ...writing,
    summary: 'Change the response of a bin',
    parameters: [ofBin],
    requestBody: { ...responseBody, required: true },
    responses: { 200: { description: 'The bin.', content: binContent }, 303: toPage },
    errors: [...readErrors, 409],
  },
  remove: { ...writing, summary: 'Remove a bin', parameters: [ofBin], responses: removed },
  list: {
    ...reading,
    summary: 'List the captured requests, oldest first',
    parameters: [ofBin, ...listParameters],
    responses: {
      200: {
        description: 'All that fit; after `wait` perhaps none.',
        content: {
          ...jsonContent({ type: 'array', items: requestSchema }, [exampleRequest]),
          'application/x-ndjson': { schema: text },
        },
      },
    },
    errors: [...readErrors, 406],
  },
  clear: {
    ...writing,
    summary: 'Remove all captured requests',
    parameters: [ofBin],
    responses: removed,
  },
  events: {
    ...reading,
    summary: 'Stream the captured requests',
    description: `Server-sent events: \`created\` with a request without its headers and body, \`deleted\` with an id, and \`reset\` if requests are missing: list those after the id \`after\`. ${bearer}`,
    parameters: [ofBin, lastEventId],
    content: eventContent(
      `event: created\nid: 1795341600001\ndata: {"id":"${requestId}","method":"POST","path":"/"}\n\n`,
    ),
    errors: [...readErrors, 406],
  },
  readRequest: {
    ...reading,
    summary: 'Get a captured request',
    parameters: [ofBin, ofRequest],
    content: {
      ...jsonContent(
        {
          ...toSchema(exampleRequest, {
            ...requestProperties,
            files: { type: 'array', items: file },
          }),
          required: [...required, 'files'],
        },
        { ...exampleRequest, files: [] },
      ),
      ...pageContent,
      'message/http': { schema: text },
    },
    errors: [...readErrors, 406],
  },
  archive: {
    ...reading,
    summary: 'Export the captured requests as an HTTP Archive (HAR 1.2)',
    parameters: [ofBin, ...listParameters],
    content: harContent,
    errors: [...readErrors, 406],
  },
  compare: {
    ...reading,
    ...diffOperation,
    summary: 'Compare two captured requests',
    parameters: [ofBin, ...diffOperation.parameters],
    errors: [...readErrors, 406],
  },
  removeRequest: {
    ...writing,
    summary: 'Remove a captured request',
    parameters: [ofBin, ofRequest],
    responses: removed,
  },
  readBody: {
    ...reading,
    summary: 'Download the body of a captured request',
    parameters: [ofBin, ofRequest],
    responses: attachment,
    errors: [...readErrors, 412, 416],
  },
  readFile: {
    ...reading,
    summary: 'Download a file of a captured form',
    parameters: [ofBin, ofRequest, pathParameter('k', 'The number of the file.', '1')],
    responses: attachment,
    errors: [...readErrors, 412, 416],
  },
  capture: {
    summary: 'Capture a request',
    description: 'Any method, and any path below. The bin defines the response.',
    parameters: [ofBin],
    responses: {
      '2XX': { description: 'The response of the bin.', content: { '*/*': {} } },
      default: { description: 'Or any other response.', content: { '*/*': {} } },
    },
    errors: [403, 404, 410],
    store: 'writes',
  },
} as const satisfies Record<string, Operation>
