import { hideSecrets } from '../../http/security/own-secrets.ts'
import { findField, mask } from '../../exchanges/exchange.ts'
import type { Exchange, Summary, Fields } from '../../exchanges/exchange.ts'
import { toHeadText } from '../../exchanges/message-http.ts'
import { toExchangeBody } from '../../exchanges/to-body.ts'
import { isOwner, toTimestamp } from './filter.ts'
import { maskBody, maskRequestTarget } from './mask-body.ts'
import { findMasked, maskEcho } from './mask-echo.ts'
import { maskField } from './mask.ts'
import type { Recorded } from './recorded.ts'

export function recordedToSummary(recorded: Recorded, viewer: string | undefined): Summary {
  const { id, requestId, owner, client, method, effectiveMethod, status, times } = recorded
  const { isCutOff, demo, route, requestFields, rare } = recorded
  return {
    id,
    requestId,
    receivedAt: toTimestamp(recorded.receivedAt),
    client,
    isOwn: isOwner(owner, viewer),
    method,
    effectiveMethod,
    target: recorded.maskedTarget,
    status,
    ms: times.end,
    isCutOff,
    demo,
    route,
    location: recorded.maskedLocation,
    fault: rare.fault,
    step: rare.step,
    stub: rare.stub,
    alternative: rare.alternative,
    idempotencyKey: findMaskedKey(requestFields),
    isPreflight:
      method === 'OPTIONS' &&
      findField(requestFields, 'access-control-request-method') !== undefined,
  }
}

function findMaskedKey(fields: Fields): string | undefined {
  const name = 'idempotency-key'
  const value = findField(fields, name)
  return value === undefined ? undefined : maskField(name, value)
}

export async function recordedToExchange(
  recorded: Recorded,
  viewer: string | undefined,
): Promise<Exchange> {
  const { httpVersion, origin, tls, connection, status, times } = recorded
  // The differences of the nearest stub can have secrets of the request.
  const { earlyHints, trailers, requestTrailers, ...others } = recorded.rare
  const rare = { ...others, nearest: undefined }
  const summary = recordedToSummary(recorded, viewer)
  const secrets: string[] = []
  const requestFields = maskFields(recorded.requestFields, secrets)
  // Collects the secrets: the summary already has the masked target.
  maskRequestTarget(recorded.target, secrets)
  const requestTrailerFields = requestTrailers && maskFields(requestTrailers, secrets)
  const maskRequest = (type: string, text: string) => maskBody(type, text, secrets)
  const requestBody = await toExchangeBody(recorded.requestFields, recorded.received, maskRequest)
  const maskResponse = (type: string, text: string) =>
    maskEcho(showKey(maskBody(type, text), text, recorded), secrets)
  const responseFields = maskFields(recorded.responseFields)
  const requestLine = `${summary.method} ${summary.target} HTTP/${httpVersion}`
  const earlyHintFields = earlyHints && maskFields(earlyHints)
  const responseHead = status === undefined ? '' : toHeadText(recorded.statusLine, responseFields)
  return {
    ...summary,
    origin,
    httpVersion,
    tls,
    connection,
    requestFields,
    responseFields,
    times,
    ...rare,
    rateLimit: toRateLimit(recorded),
    earlyHintFields,
    trailerFields: trailers && maskFields(trailers),
    requestHead: toHeadText(requestLine, requestFields),
    requestBody,
    requestTrailerFields,
    responseHead: toHintHead(httpVersion, earlyHintFields) + responseHead,
    responseBody: await toExchangeBody(recorded.responseFields, recorded.sent, maskResponse),
  }
}

function toHintHead(httpVersion: string, fields?: Fields): string {
  return fields === undefined
    ? ''
    : `${toHeadText(`HTTP/${httpVersion} 103 Early Hints`, fields)}\n`
}

/** The key of a state, with which the body begins, is no secret if it is in the URL. */
function showKey(masked: string, text: string, { route = '', target }: Recorded): string {
  const key = target.split(/[/?]/)[route.split('/').indexOf(':key')]
  const start = (value: string) => `{"key":"${value}"`
  if (key === undefined) return masked
  // The body may be cut in the key.
  const shown = text.slice(0, start(key).length)
  return shown !== '' && start(key).startsWith(shown) ? masked.replace(start(mask), shown) : masked
}

function toRateLimit({ responseFields, isRateLimited }: Recorded): Exchange['rateLimit'] {
  const policy = findField(responseFields, 'ratelimit-policy')
  const state = findField(responseFields, 'ratelimit')
  return policy && state ? { policy, state, isExceeded: isRateLimited } : undefined
}

export function maskFields(fields: Fields, found: string[] = []): Fields {
  return fields.map(([name, value]) => {
    const masked = maskField(name, value)
    found.push(...findMasked(value, masked))
    return [hideSecrets(name, () => mask), masked]
  })
}
