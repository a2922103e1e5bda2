import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, notFound } from '../http/errors/http-error.ts'
import { chooseType } from '../http/negotiation/negotiate.ts'
import {
  jsonContent,
  objectSchema,
  pageContent,
  pathParameter,
  text,
  textContent,
} from '../http/openapi/content.ts'
import type { Route } from '../http/openapi/route.ts'
import { isObject } from '../http/request/parameters.ts'
import { toPathParameter } from '../http/request/target.ts'
import { sendJson, sendText } from '../http/response/send.ts'
import { html, type Html } from '../site/html.ts'
import { renderMethod } from '../site/highlight.ts'
import { type Page, sendPage } from '../site/page.ts'
import { renderDiffPage } from './diff-view.ts'
import { toDiff } from './diff.ts'
import { exchangeSchema, exchangeToJson, harContent, idParameter, sample } from './documentation.ts'
import { renderExchange, renderOutcome } from './exchange-view.ts'
import type { Exchange, ExchangeSummary } from './exchange.ts'
import type { Exchanges } from './exchanges.ts'
import { groupExchanges } from './group-exchanges.ts'
import { toHar } from './har.ts'
import { toMessages } from './message-http.ts'
import { toOwner } from './owner.ts'

type ToUrl = (id: string) => string

const messageType = 'message/http'
const messageContent = { [messageType]: { schema: text } }
const maxSearched = 200

export function exchangeRoutes(exchanges: Exchanges, toUrl: ToUrl): readonly Route[] {
  return [
    getDiff(exchanges, toUrl),
    getExchange(exchanges, toUrl),
    getFile(
      exchanges,
      'har',
      'Export an exchange as an HTTP Archive (HAR 1.2)',
      harContent,
      sendHar,
    ),
    getFile(exchanges, 'http', 'Export an exchange as HTTP messages', messageContent, sendMessages),
  ]
}

/** Not even in private caches, nor for pages of other sites, which can read what needs no cookie. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store')
  if (reply.getHeader('access-control-allow-origin') === '*')
    reply.removeHeader('access-control-allow-origin')
}

async function load(exchanges: Exchanges, request: FastifyRequest, id: string): Promise<Exchange> {
  const exchange = await exchanges.find(id, toOwner(request))
  if (exchange !== undefined) return exchange
  const back = ['/inspector', 'Request inspector'] as const
  throw notFound(`There is no exchange with the id ${id}. Only the latest are stored.`, back)
}

function getExchange(exchanges: Exchanges, toUrl: ToUrl): Route {
  return {
    method: 'GET',
    url: '/inspector/:id',
    summary: 'Get a recorded request and response',
    description: 'Secrets are masked.',
    parameters: [pathParameter('id', 'The value of `exchange` in Server-Timing.', sample.id)],
    content: {
      ...pageContent,
      ...jsonContent(exchangeSchema, sample),
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
      const { exchanges: recent } = await exchanges.list({ limit: maxSearched }, toOwner(request))
      const group = groupExchanges(recent).find((one) => one.some(({ id }) => id === exchange.id))
      const title = `${exchange.method} ${exchange.target}`
      return sendPage(reply, renderExchangesPage(title, [exchange], toUrl, group?.toReversed()))
    },
  }
}

/** Scripts show the `data-exchange` parts on other pages. */
export function renderExchangesPage(
  title: string,
  exchanges: readonly Exchange[],
  toUrl: ToUrl,
  chain: readonly ExchangeSummary[] = [],
): Page {
  return {
    title,
    back: ['/inspector', 'Request inspector'],
    styles: ['inspector.css'],
    scripts: ['inspector.js'],
    main: html`${chain.length < 2 ? '' : renderChain(chain, exchanges, toUrl)}${exchanges.map(
      (exchange) => renderExchange(exchange, { links: renderExports(toUrl(exchange.id)) }),
    )}`,
  }
}

function renderChain(
  chain: readonly ExchangeSummary[],
  shown: readonly Exchange[],
  toUrl: ToUrl,
): Html {
  return html`<ol class="chain" aria-label="Redirects and preflights of this request">
${chain.map((one) => {
  const isShown = shown.some(({ id }) => id === one.id)
  return html`<li><a href="${toUrl(one.id)}"${isShown ? html` aria-current="page"` : ''}>${renderMethod(one.method)} <code>${one.target}</code> ${renderOutcome(one)}</a></li>\n`
})}</ol>
`
}

function renderExports(url: string): Html {
  return html`<p class="actions"><a class="button second small" href="${url}.har">Export as HAR</a>
<a class="button second small" href="${url}.http">Export as message/http</a></p>
`
}

function getFile(
  exchanges: Exchanges,
  suffix: string,
  summary: string,
  content: NonNullable<Route['content']>,
  send: (reply: FastifyReply, exchange: Exchange) => FastifyReply,
): Route {
  return {
    method: 'GET',
    url: `/inspector/:id([^.]+).${suffix}`,
    summary,
    parameters: [pathParameter('id', 'The id of the exchange.', sample.id)],
    content,
    errors: [404],
    handler: async (request, reply) => {
      const exchange = await load(exchanges, request, toPathParameter(request, 'id'))
      const name = `exchange-${exchange.id}.${suffix}`
      keepPrivate(reply)
      reply.header('content-disposition', `attachment; filename="${name}"`)
      return send(reply, exchange)
    },
  }
}

function sendHar(reply: FastifyReply, exchange: Exchange): FastifyReply {
  return sendJson(reply, toHar([exchange]))
}

function sendMessages(reply: FastifyReply, exchange: Exchange): FastifyReply {
  return reply.type(messageType).send(toMessages(exchange))
}

const diffLine = objectSchema({ kind: { enum: ['same', 'removed', 'added'] }, text })
const diffPart = objectSchema({ name: text, lines: { type: 'array', items: diffLine } })
const diffSample = [{ name: 'Status line', lines: [{ kind: 'same', text: 'HTTP/1.1 200 OK' }] }]

export const diffOperation = {
  summary: 'Compare two exchanges',
  description: 'A form can send both ids as `a`.',
  parameters: [
    idParameter('a', 'The id of an exchange.'),
    idParameter('b', 'The id of another exchange.'),
  ],
  content: {
    ...pageContent,
    ...jsonContent(objectSchema({ parts: { type: 'array', items: diffPart } }), {
      parts: diffSample,
    }),
  },
} as const

interface DiffOptions {
  /** Throws 404. */
  load: (id: string) => Promise<Exchange>
  toUrl: ToUrl
  /** The link above the heading. */
  back: NonNullable<Page['back']>
}

export async function sendDiff(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, toUrl, back }: DiffOptions,
): Promise<FastifyReply> {
  const type = chooseType(request, reply, ['text/html', 'application/json'])
  const { a, b } = isObject(request.query) ? request.query : {}
  const [one, other, ...more] = [a, b]
    .flat()
    .filter((id): id is string => typeof id === 'string' && id !== '')
  if (one === undefined || other === undefined || more.length > 0)
    throw badRequest('Choose two requests to compare: the parameters a and b are their ids.')
  const loaded = [await load(one), await load(other)]
  // A form sends the ids in the order of its list.
  if (b === undefined) loaded.sort((x, y) => (x.receivedAt < y.receivedAt ? -1 : 1))
  const [first, second] = loaded
  if (first === undefined || second === undefined) throw notFound('There is no exchange.')
  const parts = toDiff(first, second)
  keepPrivate(reply)
  return type === 'application/json'
    ? sendJson(reply, { parts })
    : sendPage(reply, { ...renderDiffPage([first, second], parts, toUrl), back })
}

function getDiff(exchanges: Exchanges, toUrl: ToUrl): Route {
  return {
    method: 'GET',
    url: '/inspector/diff',
    ...diffOperation,
    errors: [400, 404, 406],
    handler: (request, reply) =>
      sendDiff(request, reply, {
        load: (id) => load(exchanges, request, id),
        toUrl,
        back: ['/inspector', 'Request inspector'],
      }),
  }
}
