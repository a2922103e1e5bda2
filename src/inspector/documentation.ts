import { maxPerPage } from '../config/limits.ts'
import { jsonContent, orEmpty, queryParameters, text, toSchema } from '../http/openapi/content.ts'
import { exampleId, exchangeSchema, summarySchema, type Exchange } from '../exchanges/exchange.ts'
import { propertiesToListFields } from '../lists/fields.ts'
import { statusPattern } from '../lists/status.ts'
import { toCommands } from '../exchanges/repeat.ts'

export function exchangeToJson(exchange: Exchange) {
  const head = `${exchange.requestHead}\n${exchange.responseHead}`
  return { ...exchange, head, ...toCommands(exchange) }
}

const summary = {
  id: exampleId,
  requestId: '9b2f6c1e-5d0a-4f7e-8c34-1a6e0d2b7f55',
  receivedAt: '2026-11-21T08:20:41.509000Z',
  client: '127.0.0.1',
  isOwn: false,
  method: 'GET',
  effectiveMethod: 'GET',
  target: '/health',
  ms: 0.4,
  isCutOff: false,
}

export const sample = exchangeToJson({
  ...summary,
  origin: 'http://localhost',
  httpVersion: '1.1',
  connection: { id: '', requestsBefore: 0, remoteAddress: '127.0.0.1:49152' },
  times: { end: 0.4 },
  requestFields: [['Host', 'localhost']],
  requestHead: 'GET /health HTTP/1.1\nHost: localhost\n',
  responseFields: [['content-type', 'text/plain']],
  responseHead: 'HTTP/1.1 200 OK\ncontent-type: text/plain\n',
})

export const jsonSchema = toSchema(sample, exchangeSchema.properties)
export const summarySample = { ...summary, status: 200 }

const status = { ...text, pattern: statusPattern }
const isSet = { enum: ['1'] }

export const filterParameters = queryParameters({
  method: ['The method, as it was sent or after an override.', 'POST'],
  status: ['A status code or a class of them.', '4xx', status],
  path: ['A part of the path or the query string.', '/users'],
  client: ['The address of the client.', '127.0.0.1'],
  mine: ['`1`: only those of your session, or with your key.', '1', isSet],
  errors: ['`1`: only those with a status from 400, or cut off.', '1', isSet],
  assets: ['`1`: also the files that the pages of this service load.', '1', isSet],
}).map(orEmpty)

/** What filters and `sort` can name: `mine` is the filter of the own ones. */
export const listFields = propertiesToListFields({ ...summarySchema.properties, isOwn: {} }, [
  ...filterParameters.map(({ name }) => name),
  ...['sort', 'page', 'per_page', 'before', 'request_id'],
])

const terms = listFields.names.flatMap((name) => [name, `-${name}`])
export const orderParameters = queryParameters({
  sort: ['The latest first without it.', '-ms', { enum: terms }],
  page: ['The number of the page.', 1, { type: 'integer', minimum: 1 }],
  per_page: [
    'The number of exchanges on a page.',
    200,
    { type: 'integer', minimum: 1, maximum: maxPerPage },
  ],
}).map(orEmpty)

const properties = {
  exchanges: { type: 'array', items: { anyOf: [jsonSchema, summarySchema] } },
  next: { ...text, description: 'The value of `before` for earlier exchanges.' },
  removed: {
    type: 'integer',
    minimum: 0,
    description: 'The number of exchanges that are gone because of INSPECTOR_MAX_BYTES.',
  },
  scope: {
    enum: ['service', 'replica'],
    description: 'Whether the list has the exchanges of all replicas, or of one.',
  },
  silent: {
    type: 'integer',
    minimum: 0,
    description: 'The number of processes that did not respond in time: theirs are missing.',
  },
}
const listSchema = { type: 'object', required: ['exchanges'], properties }
export const listContent = jsonContent(listSchema, { exchanges: [summarySample] })
