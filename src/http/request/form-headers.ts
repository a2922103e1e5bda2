import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify'
import type { Config } from '../../config/config.ts'
import { withBody, takeFormHeaders, type Body, type BodyReader } from '../body/body-reader.ts'
import { isSafe } from './method-override.ts'
import { parseParameters } from './query-string.ts'

/** Which header each control field stands for; `_method` is read before routing. */
const headerNames = { _if_match: 'if-match', _idempotency_key: 'idempotency-key' } as const

/**
 * Makes headers of what a form without script says in their place, so that whoever looks at the
 * headers has seen it. A header that was sent counts before the content, that before the query.
 */
export function applyFormHeaders(
  app: FastifyInstance,
  { config, readBody }: { config: Config; readBody: BodyReader },
): void {
  if (!config.methodOverride) return
  const heed = (request: FastifyRequest, { formHeaders: controls }: Body) => {
    const fields = { ...findInQuery(request, config), ...controls }
    for (const [name, header] of Object.entries(headerNames)) {
      const value = fields[name as keyof typeof headerNames]
      if (value !== undefined) request.headers[header] ??= toFieldValue(value)
    }
  }
  const heedBody: preHandlerHookHandler = (request, _reply, done) => {
    const take = (body: Body) => {
      heed(request, body)
      done()
    }
    withBody(readBody(request.raw), take, done)
  }
  // Only where something is written: a hook costs, and most requests read.
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every(isSafe) || route.config?.readsBodyItself === true) return
    route.preHandler = [heedBody, ...[route.preHandler ?? []].flat()]
  })
}

function findInQuery({ url }: FastifyRequest, config: Config) {
  const start = url.indexOf('?')
  return start === -1 ? {} : takeFormHeaders(parseParameters(url.slice(start + 1), config))
}

/** What came several times is a list, as it is of a header (RFC 9110 §5.3). */
function toFieldValue(value: unknown): string {
  const values = [value].flat()
  // What is no text is no good value either, and whoever reads the header will say so.
  return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ')
}
