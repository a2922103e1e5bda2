import type { FastifyRequest } from 'fastify'
import { badRequest } from '../../http/errors/http-error.ts'
import { exampleContent, pathParameter } from '../../http/openapi/content.ts'
import { toPathParameter } from '../../http/request/target.ts'
import { idSchema, isId } from '../../stores/records/records.ts'
import type { State } from '../../stores/states/states.ts'
import type { ResponseEndpoint } from './endpoint.ts'

const about = 'The name of the state. All clients that use it share the state.'
export const keyParameter = { ...pathParameter('key', about, 'my-test'), schema: idSchema }

/** Throws 400. */
export function parseKey(request: FastifyRequest): string {
  const key = toPathParameter(request, 'key')
  if (isId(key)) return key
  throw badRequest('key must have 1 to 64 letters, digits, hyphens and underscores.')
}

const expiresAtSchema = { type: ['string', 'null'], format: 'date-time' }

/**
 * `/responses/<name>/<key>/state`: GET reads, DELETE resets. The keys of the states of this endpoint
 * begin with its name.
 */
export function toStateEndpoints(
  name: string,
  toShown: (state: State) => Readonly<Record<string, unknown>>,
): readonly ResponseEndpoint[] {
  const route = { url: `/responses/${name}/:key/state`, parameters: [keyParameter] }
  const toJson = (key: string, state: State, expiresAt?: string) => ({
    key,
    ...toShown(state),
    expires_at: expiresAt ?? null,
  })
  const content = exampleContent(toJson('my-test', {}), { expires_at: expiresAtSchema })
  return [
    {
      ...route,
      method: 'GET',
      summary: `Read the state of a ${name}`,
      store: 'reads',
      responses: { 200: { description: 'The state, or that of a new key.', content } },
      describe: async (request, { states }) => {
        const key = parseKey(request)
        const { state = {}, expiresAt } = (await states.find(`${name}/${key}`)) ?? {}
        return { headers: { 'Cache-Control': 'no-store' }, json: toJson(key, state, expiresAt) }
      },
    },
    {
      ...route,
      method: 'DELETE',
      summary: `Reset the state of a ${name}`,
      store: 'writes',
      responses: { 204: { description: 'The next request is the first one.' } },
      describe: async (request, { states }) => {
        await states.remove(`${name}/${parseKey(request)}`)
        return { status: 204 }
      },
    },
  ]
}
