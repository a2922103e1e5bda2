import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { rowsWithoutPage } from '../config/limits.ts'
import { createEventSender, eventContent, lastEventId, toEvent } from '../events/send-events.ts'
import { readOnly, serviceUnavailable } from '../http/errors/http-error.ts'
import { chooseType, negotiate } from '../http/negotiation/negotiate.ts'
import { pageContent, queryParameter, text } from '../http/openapi/content.ts'
import { registerRoutes, type Route } from '../http/openapi/route.ts'
import { joinedToRead, toBaseUrl } from '../http/request/request-head.ts'
import { sendJson } from '../http/response/send.ts'
import { sendPage } from '../site/send-page.ts'
import { toNotice } from './recorder/ask-others.ts'
import {
  exchangeToJson,
  filterParameters,
  listContent,
  orderParameters,
  sample,
  summarySample,
} from './documentation.ts'
import { createToText, toParts } from './recorder/exchange-events.ts'
import { loadChain, toExchangeRoutes } from './exchange-routes.ts'
import type { Summary } from '../exchanges/exchange.ts'
import type { ExchangePage, Exchanges } from './recorder/exchanges.ts'
import { renderExchangesPage, toUrl } from './pages/exchanges-page.ts'
import { toCursor, type ExchangeFilter } from './recorder/filter.ts'
import { groupExchanges } from '../exchanges/group-exchanges.ts'
import { harContent, sendHar } from '../exchanges/har.ts'
import { keepPrivate } from '../http/response/default-headers.ts'
import {
  findParameters,
  findText,
  parseRequestId,
  parseExchangeFilter,
  parseOrder,
  toQuery,
} from './pages/list-parameters.ts'
import { renderExchange } from '../exchanges/list-view.ts'
import { renderInspectorPage } from './pages/inspector-page.ts'
import { findSecrets, hashOwner } from './recorder/owner.ts'
import { postKey } from './post-key.ts'
import { randomUuidPattern } from './recorder/recorded.ts'

const notCleared =
  'Processes of the service did not respond in time. The requests that they received are not cleared.'
const requestId = { ...text, format: 'uuid', pattern: randomUuidPattern }
const maxRecent = 50
const maxEarlier = 200

export function openInspector(app: FastifyInstance, exchanges: Exchanges): void {
  registerRoutes(app, { file: import.meta.filename }, [
    getExchanges(exchanges),
    deleteExchanges(exchanges),
    postKey,
    getArchive(exchanges),
    getEvents(app, exchanges),
    ...toExchangeRoutes(exchanges),
  ])
}

const getExchanges = (exchanges: Exchanges): Route => ({
  method: 'GET',
  url: '/inspector',
  summary: 'List the recorded exchanges',
  description:
    'The latest first. `<field>=` and `<field>:<operator>=` filter by every scalar field of a summary, as in other lists: `ms:gt=100`. With `request_id`, the latest 21 exchanges with this X-Request-Id, complete and oldest first. A browser sends the header again when it follows a redirect, so one random id finds the whole chain.',
  parameters: [
    ...filterParameters,
    ...orderParameters,
    queryParameter('before', ['The `next` of a list.', toCursor(sample)]),
    queryParameter('request_id', ['An X-Request-Id, a random UUID.', sample.requestId, requestId]),
  ],
  content: { ...pageContent, ...listContent },
  errors: [400, 406],
  handler: async (request, reply) => {
    const isJson =
      chooseType(request, reply, ['text/html', 'application/json']) === 'application/json'
    keepPrivate(reply)
    const query = { ...parseExchangeFilter(request), ...parseOrder(request) }
    const id = parseRequestId(request)
    if (id !== undefined) {
      const chain = await exchanges.findChain(id, hashOwner(request))
      if (isJson) return sendJson(reply, { exchanges: chain.map(exchangeToJson) })
      const last = chain.at(-1)
      const around = last === undefined ? [] : await loadChain(exchanges, request, last)
      const whole = around.length > chain.length ? around : chain
      return sendPage(reply, renderExchangesPage(`Exchanges of ${id}`, chain, whole))
    }
    const page = await exchanges.list(query, hashOwner(request))
    if (!isJson) return sendList(request, reply, { page, query, exchanges })
    // `before` continues the order of times only.
    return sendJson(reply, query.sort.length === 0 ? page : { ...page, next: undefined })
  },
})

interface ExchangeListView {
  page: ExchangePage
  query: ExchangeFilter & ReturnType<typeof parseOrder>
  exchanges: Exchanges
}

function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, query, exchanges }: ExchangeListView,
): FastifyReply {
  const [newest] = page.exchanges
  const after = newest === undefined ? '' : toCursor(newest)
  const { session, key } = findSecrets(request)
  const isLive = !query.before && query.part === undefined && query.sort.length === 0
  const view = renderInspectorPage({
    exchanges: page.exchanges,
    toUrl,
    // Earlier pages are not live.
    eventsUrl: isLive ? `/inspector/events${toQuery(request, { rows: 'html', after })}` : '',
    diffUrl: '/inspector/diff',
    origin: toBaseUrl(request),
    filter: query,
    parameters: findParameters(request),
    mode: exchanges.mode,
    clearsAll: exchanges.clearsAll,
    hasSession: session !== undefined,
    hasSandbox: request.raw.sandbox?.tokens !== undefined,
    isReadOnly: request.raw.sandbox?.isReadOnly === true,
    key,
    notice: toNotice(page),
    query: toQuery(request),
    older: page.next && `/inspector${toQuery(request, toOlder(query, page.next))}`,
  })
  return sendPage(reply, view)
}

function toOlder({ part, sort }: ExchangeListView['query'], next: string): Record<string, string> {
  if (part === undefined && sort.length === 0) return { before: next }
  return {
    page: String((part?.page?.number ?? 1) + 1),
    per_page: String(part?.limit ?? rowsWithoutPage),
  }
}

const deleteExchanges = (exchanges: Exchanges): Route => ({
  method: 'DELETE',
  url: '/inspector',
  summary: 'Clear the recorded exchanges',
  description: 'With `INSPECTOR=own` or `PRESET=public`, only your own.',
  responses: { 204: { description: 'Cleared.' }, 303: { description: 'Cleared, for a form.' } },
  errors: [403, 503],
  handler: async (request, reply) => {
    const type = negotiate(request, reply, ['application/json', 'text/html'])
    if (request.raw.sandbox?.isReadOnly) throw readOnly(joinedToRead)
    const { silent } = await exchanges.clear(hashOwner(request))
    if (silent > 0) throw serviceUnavailable(notCleared)
    return type === 'text/html' ? reply.redirect('/inspector', 303) : reply.code(204).send()
  },
})

const comment = 'At most the latest 1,000 exchanges. Secrets are masked. A longer body is cut.'

const getArchive = (exchanges: Exchanges): Route => ({
  method: 'GET',
  url: '/inspector.har',
  summary: 'Export the recorded exchanges as an HTTP Archive (HAR 1.2)',
  description: 'The latest 1,000.',
  parameters: filterParameters,
  content: harContent,
  errors: [400],
  handler: async (request, reply) => {
    const pages = exchanges.pagesOfWhole(parseExchangeFilter(request), hashOwner(request))
    keepPrivate(reply)
    return sendHar(reply, pages, { file: 'vitrine.har', comment })
  },
})

function getEvents(app: FastifyInstance, exchanges: Exchanges): Route {
  const send = createEventSender(app)
  return {
    method: 'GET',
    url: '/inspector/events',
    summary: 'Stream the exchanges as they end',
    description:
      'Server-sent events: `exchange` with a member of the list, and `missed` if exchanges were dropped because the client reads too slowly: `count` is about their number, and the filter may exclude some of them. `coverage`, when it changes, has `scope` and `silent` of the list, and a `notice` if exchanges are missing. `Last-Event-ID` resumes.',
    parameters: [...filterParameters, { ...lastEventId, example: toCursor(sample) }],
    content: eventContent(toEvent('exchange', toCursor(sample), summarySample)),
    errors: [400, 406, 503],
    config: { defaultType: 'json' },
    handler: (request, reply) => {
      const filter = parseExchangeFilter(request)
      const viewer = hashOwner(request)
      keepPrivate(reply)
      const after = request.headers['last-event-id'] ?? findText(request.query, 'after')
      const recent: Summary[] = []
      const isPage = findText(request.query, 'rows') === 'html'
      const log = exchanges.watch(filter, viewer)
      return send(request, reply, {
        log,
        start: async () => {
          const position = await log.findLast()
          const page = await exchanges.list({ ...filter, limit: maxEarlier }, viewer)
          recent.push(...page.exchanges)
          return { position, earlier: after === undefined ? [] : toEarlier(page, String(after)) }
        },
        toText: createToText({
          cursor: String(after ?? ''),
          // A page may still have an old notice.
          notice: isPage ? undefined : '',
          toValue: (exchange) => (isPage ? toRowEvent(exchange, recent) : exchange),
        }),
      })
    },
  }
}

/** The parts have the exchanges after the last one that the client has. */
function toEarlier({ exchanges, next }: ExchangePage, after: string) {
  const news = exchanges.filter((one) => toCursor(one) > after).toReversed()
  return toParts(news, Number(news.length === maxEarlier && next !== undefined))
}

function toRowEvent(exchange: Summary, recent: Summary[]) {
  recent.unshift(exchange)
  recent.length = Math.min(recent.length, maxRecent)
  const group = groupExchanges(recent).find(([first]) => first === exchange) ?? []
  const earlier = group.slice(1).map(({ id }) => id)
  return { id: exchange.id, html: renderExchange(exchange, toUrl).markup, earlier }
}
