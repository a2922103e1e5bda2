import type { FastifyInstance } from 'fastify'
import { notFound } from '../http/errors/http-error.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import {
  exampleContent,
  objectSchema,
  pageContent,
  pathParameter,
  text,
  textContent,
} from '../http/openapi/content.ts'
import { registerRoutes, type Route } from '../http/openapi/route.ts'
import { toPathParameter } from '../http/request/target.ts'
import { toOrigin } from '../http/request/request-head.ts'
import { sendJson, sendText } from '../http/response/send.ts'
import { sendPage } from '../site/page.ts'
import { toCommands } from './commands.ts'
import type { Exchange } from './exchange-log.ts'
import { renderExchangePage, renderInspectorPage } from './views.ts'

type FindExchange = (id: string) => Exchange | undefined | Promise<Exchange | undefined>

export function openInspector(app: FastifyInstance, find: FindExchange): void {
  registerRoutes(app, { file: import.meta.filename }, [getInspector, getExchange(find)])
}

const getInspector: Route = {
  method: 'GET',
  url: '/inspector',
  summary: 'Get the page about the request inspector',
  content: pageContent,
  handler: (request, reply) => sendPage(reply, renderInspectorPage(toOrigin(request))),
}

const sample = exchangeToJson({
  id: '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e',
  origin: 'http://localhost',
  receivedAt: '2026-11-21T08:20:41.509Z',
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
  negotiation: undefined,
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

function getExchange(find: FindExchange): Route {
  return {
    method: 'GET',
    url: '/inspector/:id',
    summary: 'Get a recorded request and response',
    description: 'One of the last 500, with secrets masked.',
    parameters: [pathParameter('id', 'The value of `exchange` in Server-Timing.', sample.id)],
    content: {
      ...pageContent,
      ...exampleContent(sample, true, exchangeProperties),
      ...textContent(sample.head),
    },
    errors: [404, 406],
    handler: async (request, reply) => {
      const type = chooseType(request, reply, ['text/html', 'application/json', 'text/plain'])
      const id = toPathParameter(request, 'id')
      const exchange = await find(id)
      if (exchange === undefined)
        throw notFound(`There is no exchange with the id ${id}. The last 500 are stored.`)
      reply.header('cache-control', 'no-store')
      if (type === 'text/html') return sendPage(reply, renderExchangePage(exchange))
      const json = exchangeToJson(exchange)
      return type === 'text/plain' ? sendText(reply, json.head) : sendJson(reply, json)
    },
  }
}

function exchangeToJson(exchange: Exchange) {
  const { id, receivedAt, method, effectiveMethod, target, status, ms, negotiation } = exchange
  const head = `${exchange.requestHead}\n${exchange.responseHead}`
  const request = { id, receivedAt, method, effectiveMethod, target, status, ms, head }
  return { ...request, ...(negotiation && { negotiation }), ...toCommands(exchange) }
}
