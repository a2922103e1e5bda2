import type { FastifyInstance } from 'fastify'
import { badRequest, notFound } from '../http/errors/http-error.ts'
import { chooseType, negotiate } from '../http/negotiation/negotiate.ts'
import {
  jsonContent,
  objectSchema,
  pageContent,
  pathParameter,
  text,
  textContent,
  toSchema,
} from '../http/openapi/content.ts'
import { registerRoutes, type Route } from '../http/openapi/route.ts'
import { isObject } from '../http/request/parameters.ts'
import { toPathParameter } from '../http/request/target.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { sendJson, sendText } from '../http/response/send.ts'
import { sendPage } from '../site/page.ts'
import { toCommands } from './commands.ts'
import type { Exchange } from './exchange.ts'
import type { Exchanges } from './exchanges.ts'
import { toOwner } from './owner.ts'
import { toRandomId } from './recorded.ts'
import { renderExchangePage, renderInspectorPage } from './views.ts'

export function openInspector(app: FastifyInstance, exchanges: Exchanges): void {
  const file = import.meta.filename
  registerRoutes(app, { file }, [getInspector(exchanges), getExchange(exchanges)])
}

const requestId = '9b2f6c1e-5d0a-4f7e-8c34-1a6e0d2b7f55'

const sample = exchangeToJson({
  id: '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e',
  requestId,
  origin: 'http://localhost',
  receivedAt: '2026-11-21T08:20:41.509000Z',
  client: '127.0.0.1',
  isOwn: false,
  isCutOff: false,
  connection: { id: '', requestsBefore: 0, remoteAddress: '127.0.0.1:49152' },
  times: { end: 0.4 },
  httpVersion: '1.1',
  method: 'GET',
  effectiveMethod: 'GET',
  target: '/health',
  requestFields: [],
  requestHead: 'GET /health HTTP/1.1\nHost: localhost\n',
  status: 200,
  responseFields: [],
  responseHead: 'HTTP/1.1 200 OK\n',
  ms: 0.4,
})

const exchangeProperties = {
  receivedAt: { ...text, format: 'date-time' },
  method: { ...text, description: 'The method that the client sent.' },
  effectiveMethod: { ...text, description: 'The method after an override.' },
  target: { ...text, description: 'The path and the query string.' },
  status: { type: 'integer', minimum: 100, maximum: 599 },
  ms: { type: 'number', minimum: 0, description: 'The duration in milliseconds.' },
  head: { ...text, description: 'The request line, the status line and the headers of both.' },
  negotiation: {
    ...objectSchema({
      offers: { type: 'array', items: text },
      by: { enum: ['accept', 'default', 'suffix'] },
    }),
    description: 'How the media type was chosen, if the URL has several.',
  },
}

const exchangeSchema = toSchema(sample, exchangeProperties)

function getInspector({ findChain }: Exchanges): Route {
  return {
    method: 'GET',
    url: '/inspector',
    summary: 'Find the exchanges of a request id, or get the page about the request inspector',
    description:
      'With a request id, the latest 21 recorded exchanges with this X-Request-Id, oldest first. Browsers send the header again when they follow a redirect, so that a script that chooses a random id finds the whole chain.',
    parameters: [
      {
        name: 'request_id',
        in: 'query',
        description: 'The X-Request-Id, a random UUID (version 4). JSON requires it.',
        schema: { ...text, format: 'uuid' },
        example: requestId,
      },
    ],
    content: {
      ...pageContent,
      ...jsonContent(objectSchema({ exchanges: { type: 'array', items: exchangeSchema } }), {
        exchanges: [sample],
      }),
    },
    errors: [400],
    handler: async (request, reply) => {
      const type = negotiate(request, reply, ['text/html', 'application/json'])
      const id = toRandomId(isObject(request.query) ? request.query.request_id : undefined)
      if (id === undefined && type === 'application/json')
        throw badRequest('The parameter request_id must be a random UUID (version 4).')
      if (id === undefined) return sendPage(reply, renderInspectorPage(toOrigin(request)))
      const exchanges = await findChain(id, toOwner(request))
      reply.header('cache-control', 'no-store')
      return type === 'application/json'
        ? sendJson(reply, { exchanges: exchanges.map(exchangeToJson) })
        : sendPage(reply, renderExchangePage(`Exchanges of ${id}`, exchanges))
    },
  }
}

function getExchange({ find }: Exchanges): Route {
  return {
    method: 'GET',
    url: '/inspector/:id',
    summary: 'Get a recorded request and response',
    description: 'One of the last 500, with secrets masked.',
    parameters: [pathParameter('id', 'The value of `exchange` in Server-Timing.', sample.id)],
    content: {
      ...pageContent,
      ...jsonContent(exchangeSchema, sample),
      ...textContent(sample.head),
    },
    errors: [404, 406],
    handler: async (request, reply) => {
      const type = chooseType(request, reply, ['text/html', 'application/json', 'text/plain'])
      const id = toPathParameter(request, 'id')
      const exchange = await find(id, toOwner(request))
      if (exchange === undefined)
        throw notFound(`There is no exchange with the id ${id}. The last 500 are stored.`, [
          '/inspector',
          'Request inspector',
        ])
      reply.header('cache-control', 'no-store')
      const json = exchangeToJson(exchange)
      if (type === 'text/html') {
        return sendPage(reply, renderExchangePage(`${json.method} ${json.target}`, [exchange]))
      }
      return type === 'text/plain' ? sendText(reply, json.head) : sendJson(reply, json)
    },
  }
}

function exchangeToJson(exchange: Exchange) {
  const head = `${exchange.requestHead}\n${exchange.responseHead}`
  return { ...exchange, head, ...toCommands(exchange) }
}
