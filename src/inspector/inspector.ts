import type { FastifyInstance } from 'fastify'
import type { Exchange, ExchangeLog } from './exchange-log.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import { registerRoutes } from '../http/openapi/route.ts'
import { toPathParameter } from '../http/request/path-parameter.ts'
import { notFound } from '../http/errors/http-error.ts'
import { sendJson, sendText } from '../http/response/send.ts'
import { sendPage } from '../site/send-page.ts'
import { toCurl, toFetch, toHttpie } from './commands.ts'
import { toHead } from './message-head.ts'
import { exchangeOperation, pageOperation } from './documentation.ts'
import { exchangePage, inspectorPage } from './views.ts'

/** `/inspector/:id` shows the exchange with this id, which is in its Server-Timing header. */
export function openInspector(
  app: FastifyInstance,
  find: ExchangeLog['find'],
  findInOtherWorkers: (id: string) => Promise<Exchange | undefined>,
): void {
  registerRoutes(app, { file: import.meta.filename }, [
    {
      method: 'GET',
      url: '/inspector',
      ...pageOperation,
      handler: (_request, reply) => sendPage(reply, inspectorPage()),
    },
    {
      method: 'GET',
      url: '/inspector/:id',
      ...exchangeOperation,
      handler: async (request, reply) => {
        const type = chooseType(request, reply, ['text/html', 'application/json', 'text/plain'])
        const id = toPathParameter(request, 'id')
        const exchange = find(id) ?? (await findInOtherWorkers(id))
        if (exchange === undefined) throw notFound(`Exchange ${id} is not stored.`)
        reply.header('cache-control', 'no-store')
        switch (type) {
          case 'text/html':
            return sendPage(reply, exchangePage(exchange))
          case 'application/json':
            return sendJson(reply, exchangeToJson(exchange))
          case 'text/plain':
            return sendText(reply, toHead(exchange))
        }
      },
    },
  ])
}

function exchangeToJson(exchange: Exchange) {
  const { id, receivedAt, request, response, negotiation } = exchange
  return {
    id,
    receivedAt,
    method: request.method,
    effectiveMethod: request.effectiveMethod,
    target: request.target,
    status: response.status,
    ms: response.ms,
    head: toHead(exchange),
    ...(negotiation && { negotiation }),
    curl: toCurl(exchange),
    fetch: toFetch(exchange),
    httpie: toHttpie(exchange),
  }
}
