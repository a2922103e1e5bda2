import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyReader } from '../body/body-reader.ts'
import { isSafe } from './method-override.ts'
import { parameterToText } from './query-string.ts'
import { isRawRequest } from './target.ts'

/** Sets headers from the fields of a form. A header that was sent wins, then the body, then the query. */
export function applyFormHeaders(app: FastifyInstance, readBody: BodyReader): void {
  const setHeaders = async ({ raw, headers }: FastifyRequest) => {
    if (isRawRequest(raw)) return
    const { formHeaders } = await readBody(raw)
    const fields = { ...raw.target?.query.formHeaders, ...formHeaders }
    const { _if_match: ifMatch, _idempotency_key: key } = fields
    if (ifMatch !== undefined) headers['if-match'] ??= parameterToText(ifMatch)
    if (key !== undefined) headers['idempotency-key'] ??= parameterToText(key)
  }
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every(isSafe) || route.config?.readsBodyItself === true) return
    route.preHandler = [setHeaders, ...[route.preHandler ?? []].flat()]
  })
}
