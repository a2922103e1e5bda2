import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isSafe } from './method-override.ts'
import { parameterToText } from './query-string.ts'

/** Sets headers from the fields of a form. A header that was sent wins, then the body, then the query. */
export function applyFormHeaders(app: FastifyInstance): void {
  const setHeaders = ({ raw, headers }: FastifyRequest, _: unknown, done: () => void) => {
    const fields = { ...raw.target?.query.formHeaders, ...raw.parsedBody?.formHeaders }
    const { _if_match: ifMatch, _idempotency_key: key } = fields
    if (ifMatch !== undefined) headers['if-match'] ??= parameterToText(ifMatch)
    if (key !== undefined) headers['idempotency-key'] ??= parameterToText(key)
    done()
  }
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every(isSafe) || route.config?.readsBodyItself === true) return
    route.preHandler = [setHeaders, ...[route.preHandler ?? []].flat()]
  })
}
