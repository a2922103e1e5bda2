import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from '../http/node-http.ts'
import { toPairs } from '../http/request/raw-request.ts'
import { toOrigin } from '../http/request/request-head.ts'
import type { FinishedResponse } from '../http/response/finish-responses.ts'
import type { Exchange, ExchangeSummary, Fields } from './exchange.ts'
import { toTimestamp } from './filter.ts'
import { maskField, maskTarget } from './mask.ts'
import { toOwner } from './owner.ts'

/** References to what the request and the response have: it becomes an {@link Exchange} when it is viewed. */
export type Recorded = ReturnType<typeof toRecorded>

export function toRecorded(request: FastifyRequest, reply: FastifyReply, end: FinishedResponse) {
  const { raw, method: effectiveMethod, originalUrl: target, negotiation, server } = request
  const { ms, status, isCutOff, route } = end
  return {
    id: toExchangeId(request),
    requestId: toRandomId(raw.parsedBody?.formHeaders?._request_id) ?? request.id,
    owner: toOwner(request),
    origin: toOrigin(request),
    receivedAt: performance.timeOrigin + performance.now() - ms,
    client: request.ip,
    remoteAddress: `${raw.socket.remoteAddress ?? ''}:${String(raw.socket.remotePort ?? 0)}`,
    httpVersion: raw.httpVersion,
    method: raw.receivedMethod ?? effectiveMethod,
    effectiveMethod,
    target,
    rawHeaders: raw.rawHeaders,
    status,
    headers: reply.getHeaders(),
    ms,
    isCutOff,
    demo: 'demoName' in server ? server.demoName : undefined,
    route,
    negotiation,
    bytes: 1024,
  }
}

/** Not the request id if the client chose it: others may guess it. */
export function toExchangeId({ id, raw }: FastifyRequest): string {
  return raw.ownId ?? id
}

const randomUuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/** Others could guess the id of a client that does not choose it at random. */
export function toRandomId(value: unknown): string | undefined {
  const isRandom = typeof value === 'string' && randomUuid.test(value)
  // A copy: V8 keeps the whole body in memory for a part of it.
  return isRandom ? Buffer.from(value).toString() : undefined
}

export function toSummary(recorded: Recorded, viewer: string | undefined): ExchangeSummary {
  const { id, requestId, client, method, effectiveMethod, status, ms } = recorded
  return {
    id,
    requestId,
    receivedAt: toTimestamp(recorded.receivedAt),
    client,
    isOwn: viewer !== undefined && recorded.owner === viewer,
    method,
    effectiveMethod,
    target: maskTarget(recorded.target),
    status,
    ms,
    isCutOff: recorded.isCutOff,
    demo: recorded.demo,
    route: recorded.route,
  }
}

export function toExchange(recorded: Recorded, viewer: string | undefined): Exchange {
  const { httpVersion, remoteAddress, status } = recorded
  const summary = toSummary(recorded, viewer)
  const requestFields = maskFields(toPairs(recorded.rawHeaders))
  const responseFields = maskFields(Object.entries(recorded.headers))
  const requestLine = `${summary.method} ${summary.target} HTTP/${httpVersion}`
  const statusLine = `HTTP/${httpVersion} ${String(status)} ${STATUS_CODES[status ?? 0] ?? ''}`
  return {
    ...summary,
    origin: recorded.origin,
    httpVersion,
    connection: { id: '', requestsBefore: 0, remoteAddress },
    requestFields,
    requestHead: toHead(requestLine, requestFields),
    responseFields,
    responseHead: status === undefined ? '' : toHead(statusLine, responseFields),
    times: { end: recorded.ms },
    negotiation: recorded.negotiation,
  }
}

function toHead(line: string, fields: Fields): string {
  return [line, ...fields.map(([name, value]) => `${name}: ${value}`), ''].join('\n')
}

function maskFields(fields: readonly (readonly [name: string, value: unknown])[]): Fields {
  return fields.flatMap(([name, values]) =>
    [values].flat().map((value) => [name, maskField(name, String(value))] as const),
  )
}
