import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../http/errors/http-error.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import { jsonContent, pageContent, pathParameter, textContent } from '../http/openapi/content.ts'
import type { Route } from '../http/openapi/route.ts'
import { toPathParameter } from '../http/request/target.ts'
import { sendJson, sendText } from '../http/response/send.ts'
import { sendPage } from '../site/send-page.ts'
import { jsonSchema, exchangeToJson, sample } from './documentation.ts'
import type { Exchange } from '../exchanges/exchange.ts'
import type { Exchanges } from './recorder/exchanges.ts'
import { inspectorPage, renderExchangesPage, toUrl } from './pages/exchanges-page.ts'
import { findChain } from '../exchanges/group-exchanges.ts'
import { harContent, toHar } from '../exchanges/har.ts'
import { keepPrivate } from '../http/response/default-headers.ts'
import { messageContent, messageType, sendMessages } from '../exchanges/message-http.ts'
import { toCursor, type ExchangeQuery } from './recorder/filter.ts'
import { hashOwner } from './recorder/owner.ts'
import { diffOperation, sendDiff } from '../exchanges/send-diff.ts'

/** So many exchanges before it, and after it. */
const maxSearched = 100

export function toExchangeRoutes(exchanges: Exchanges): readonly Route[] {
  return [
    getDiff(exchanges),
    getExchange(exchanges),
    getFile(exchanges, 'har', {
      summary: 'Export an exchange as an HTTP Archive (HAR 1.2)',
      content: harContent,
      send: (reply, exchange) => sendJson(reply, toHar([exchange])),
    }),
    getFile(exchanges, 'http', {
      summary: 'Export an exchange as HTTP messages',
      content: messageContent,
      send: sendMessages,
    }),
  ]
}

async function load(exchanges: Exchanges, request: FastifyRequest, id: string): Promise<Exchange> {
  const { exchange, notice } = await exchanges.find(id, hashOwner(request))
  if (exchange !== undefined) return exchange
  throw notFound(
    `There is no exchange with the id ${id}. Only the latest are stored. ${notice}`.trimEnd(),
    inspectorPage,
  )
}

const getExchange = (exchanges: Exchanges): Route => ({
  method: 'GET',
  // POST /inspector/key is another resource, and no exchange has this id.
  url: '/inspector/:id(^(?!key$)[\\s\\S]+$)',
  summary: 'Get a recorded request and response',
  description: 'Secrets are masked.',
  parameters: [pathParameter('id', 'The value of `exchange` in Server-Timing.', sample.id)],
  content: {
    ...pageContent,
    ...jsonContent(jsonSchema, sample),
    ...textContent(sample.head),
    ...messageContent,
  },
  errors: [404, 406],
  handler: async (request, reply) => {
    const offers = ['text/html', 'application/json', 'text/plain', messageType] as const
    const type = chooseType(request, reply, offers)
    const exchange = await load(exchanges, request, toPathParameter(request, 'id'))
    keepPrivate(reply)
    if (type === 'application/json') return sendJson(reply, exchangeToJson(exchange))
    if (type === 'text/plain') return sendText(reply, exchangeToJson(exchange).head)
    if (type === messageType) return sendMessages(reply, exchange)
    const title = `${exchange.method} ${exchange.target}`
    const chain = await loadChain(exchanges, request, exchange)
    return sendPage(reply, renderExchangesPage(title, [exchange], chain))
  },
})

function sinceTime({ receivedAt }: Exchange): Pick<ExchangeQuery, 'filters' | 'sort'> {
  // Filters compare times in milliseconds.
  const values = [`${receivedAt.slice(0, 23)}Z`]
  return {
    filters: [{ field: 'receivedAt', operator: 'gte', values }],
    sort: [{ field: 'receivedAt', isDescending: false }],
  }
}

/** The exchange with those that led to it and that followed from it, oldest first. */
export async function loadChain(
  exchanges: Exchanges,
  request: FastifyRequest,
  exchange: Exchange,
): Promise<readonly Exchange[]> {
  const owner = hashOwner(request)
  const limit = maxSearched
  const before = await exchanges.list({ before: `${toCursor(exchange)}~`, limit }, owner)
  const after = await exchanges.list({ ...sinceTime(exchange), limit }, owner)
  const around = new Map([...before.exchanges, ...after.exchanges].map((one) => [one.id, one]))
  const recent = around.values().toArray()
  recent.sort((one, other) => (toCursor(one) < toCursor(other) ? 1 : -1))
  const found: Exchange[] = []
  for (const { id } of findChain(recent, exchange.id)) {
    const one = id === exchange.id ? { exchange } : await exchanges.find(id, owner)
    if (one.exchange) found.push(one.exchange)
  }
  return found
}

interface ExchangeFile extends Pick<Route, 'summary' | 'content'> {
  send: (reply: FastifyReply, exchange: Exchange) => FastifyReply
}

const getFile = (exchanges: Exchanges, suffix: string, { send, ...file }: ExchangeFile): Route => ({
  ...file,
  method: 'GET',
  url: `/inspector/:id([^.]+).${suffix}`,
  parameters: [pathParameter('id', 'The id of the exchange.', sample.id)],
  errors: [404],
  handler: async (request, reply) => {
    const exchange = await load(exchanges, request, toPathParameter(request, 'id'))
    const name = `exchange-${exchange.id}.${suffix}`
    keepPrivate(reply)
    reply.header('content-disposition', `attachment; filename="${name}"`)
    return send(reply, exchange)
  },
})

const getDiff = (exchanges: Exchanges): Route => ({
  method: 'GET',
  url: '/inspector/diff',
  ...diffOperation,
  errors: [400, 404, 406],
  handler: (request, reply) =>
    sendDiff(request, reply, {
      load: (id) => load(exchanges, request, id),
      toUrl,
      back: inspectorPage,
    }),
})
