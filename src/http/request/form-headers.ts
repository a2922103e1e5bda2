import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyReader } from '../body/body-reader.ts'
import { isSafe } from './method-override.ts'

const headersByField = { _if_match: 'if-match', _idempotency_key: 'idempotency-key' } as const

/** Sets headers from the fields of a form. A header that was sent wins, then the body, then the query. */
export function applyFormHeaders(
  app: FastifyInstance,
  { config, readBody }: { config: { methodOverride: string | false }; readBody: BodyReader },
): void {
  if (!config.methodOverride) return
  const setHeaders = async ({ raw, headers }: FastifyRequest) => {
    const { formHeaders } = await readBody(raw)
    const fields = { ...raw.target?.query.formHeaders, ...formHeaders }
    for (const field of ['_if_match', '_idempotency_key'] as const) {
      const value = fields[field]
      if (value !== undefined) headers[headersByField[field]] ??= toFieldValue(value)
    }
  }
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every(isSafe) || route.config?.readsBodyItself === true) return
    route.preHandler = [setHeaders, ...[route.preHandler ?? []].flat()]
  })
}

function toFieldValue(value: unknown): string {
  return [value]
    .flat()
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join(', ')
}
