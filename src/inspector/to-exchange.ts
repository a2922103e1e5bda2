import { findField } from './exchange.ts'
import type { Exchange, ExchangeSummary, Fields } from './exchange.ts'
import { toTimestamp } from './filter.ts'
import { maskBody } from './mask-body.ts'
import { findMasked, maskEcho } from './mask-echo.ts'
import { maskField, maskTarget } from './mask.ts'
import type { Recorded } from './recorded.ts'
import { toExchangeBody } from './to-body.ts'

export function toSummary(recorded: Recorded, viewer: string | undefined): ExchangeSummary {
  const { id, requestId, owner, client, method, effectiveMethod, status, times } = recorded
  const { isCutOff, demo, route, requestFields, responseFields } = recorded
  const isRedirect = status !== undefined && status >= 300 && status < 400
  const location = isRedirect ? findField(responseFields, 'location') : undefined
  return {
    ...{ id, requestId, receivedAt: toTimestamp(recorded.receivedAt), client },
    isOwn: viewer !== undefined && owner === viewer,
    ...{ method, effectiveMethod, target: maskTarget(recorded.target) },
    ...{ status, ms: times.end, isCutOff, demo, route },
    location: location && maskTarget(location),
    isPreflight:
      method === 'OPTIONS' &&
      findField(requestFields, 'access-control-request-method') !== undefined,
  }
}

export function toExchange(recorded: Recorded, viewer: string | undefined): Exchange {
  const { httpVersion, origin, tls, connection, status, times } = recorded
  const { negotiation, preconditions, isRateLimited } = recorded
  const summary = toSummary(recorded, viewer)
  const requestFields = maskFields(recorded.requestFields)
  const secrets = [...findMasked(recorded.target, summary.target)]
  for (const [index, [, value]] of recorded.requestFields.entries())
    secrets.push(...findMasked(value, requestFields[index]?.[1] ?? ''))
  const maskRequest = (type: string, text: string) => {
    const masked = maskBody(type, text)
    secrets.push(...findMasked(text, masked))
    return masked
  }
  const requestBody = toExchangeBody(recorded.requestFields, recorded.received, maskRequest)
  const maskResponse = (type: string, text: string) => maskEcho(maskBody(type, text), secrets)
  const sentFields = status === undefined ? [] : toSentFields(recorded)
  const responseFields = maskFields(sentFields)
  const requestLine = `${summary.method} ${summary.target} HTTP/${httpVersion}`
  const statusLine = `HTTP/${httpVersion} ${String(status)} ${recorded.statusText}`
  return {
    ...summary,
    ...{ origin, httpVersion, tls, connection, requestFields, responseFields, times },
    ...{ negotiation, preconditions, rateLimit: toRateLimit(sentFields, isRateLimited) },
    requestHead: toHead(requestLine, requestFields),
    requestBody,
    responseHead: status === undefined ? '' : toHead(statusLine, responseFields),
    responseBody: toExchangeBody(sentFields, recorded.sent, maskResponse),
  }
}

function toRateLimit(fields: Fields, isExceeded: boolean): Exchange['rateLimit'] {
  const [policy, state] = ['ratelimit-policy', 'ratelimit'].map((name) => findField(fields, name))
  return policy === undefined || state === undefined ? undefined : { policy, state, isExceeded }
}

/** With those that Node adds: https://github.com/nodejs/node/blob/main/lib/_http_outgoing.js, _storeHeader. */
function toSentFields(recorded: Recorded): Fields {
  const { httpVersion, keepAliveMs, receivedAt, times, sent, responseFields: given } = recorded
  const has = (name: string) => findField(given, name) !== undefined
  const date = new Date(receivedAt + (times.firstByte ?? times.end)).toUTCString()
  if (httpVersion.startsWith('2')) return has('date') ? given : [...given, ['date', date]]
  const added: [name: string, value: string][] = has('date') ? [] : [['Date', date]]
  const seconds = String(Math.floor(keepAliveMs / 1000))
  if (!has('connection')) {
    if (keepAliveMs === 0) added.push(['Connection', 'close'])
    else added.push(['Connection', 'keep-alive'], ['Keep-Alive', `timeout=${seconds}`])
  }
  const isFramed = has('content-length') || has('transfer-encoding')
  if (sent && !isFramed && httpVersion === '1.1') added.push(['Transfer-Encoding', 'chunked'])
  return [...given, ...added]
}

export function toHead(line: string, fields: Fields): string {
  return [line, ...fields.map(([name, value]) => `${name}: ${value}`), ''].join('\n')
}

function maskFields(fields: Fields): Fields {
  return fields.map(([name, value]) => [name, maskField(name, value)])
}
