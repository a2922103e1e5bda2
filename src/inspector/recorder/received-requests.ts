import { toExchangeBody } from '../../exchanges/to-body.ts'
import { hideSecrets, ownCookies, withoutCookies } from '../../http/security/own-secrets.ts'
import type { Fields } from '../../http/recording.ts'
import type { ExchangeLog } from './exchange-log.ts'
import { toTimestamp, type ExchangeFilter, type Viewer } from './filter.ts'
import type { Recorded } from './recorded.ts'

/** The requests of this process that match, the oldest first. Only our own cookies and secrets are hidden. */
export async function findReceived(log: ExchangeLog, filter: ExchangeFilter, viewer: Viewer) {
  const search = { lacksAssets: true, ...filter, lacksTestApi: true }
  return (await log.findReceived(search, viewer)).toReversed()
}

export async function toRequest(recorded: Recorded) {
  const { id, method, httpVersion, origin, client, status, isCutOff, times, rare } = recorded
  const target = hideSecrets(recorded.target)
  const body = await toExchangeBody(recorded.requestFields, recorded.received)
  return {
    id,
    url: `/inspector/${id}`,
    receivedAt: toTimestamp(recorded.receivedAt),
    method,
    target,
    path: target.replace(/^\/s\/(?!join\/)[^/?]+(?=\/)/, ''),
    httpVersion,
    origin,
    client,
    requestFields: toShown(recorded.requestFields),
    requestTrailerFields: rare.requestTrailers && toShown(rare.requestTrailers),
    requestBody: body?.text === undefined ? body : { ...body, text: hideSecrets(body.text) },
    status,
    isCutOff: isCutOff || undefined,
    fault: rare.fault,
    step: rare.step,
    ms: times.body ?? 0,
    stub: rare.stub,
    alternative: rare.alternative,
    nearest: rare.nearest,
  }
}

function toShown(fields: Fields): Fields {
  return withoutCookies(fields, ownCookies)
    .filter(([name]) => name.toLowerCase() !== 'x-inspector')
    .map(([name, value]) => [hideSecrets(name), hideSecrets(value)])
}
